#include "projnce/augment/input_format.h"

#include "projnce/augment/pixel_loops.h"
#include "projnce/augment/pixel_ops.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"

namespace projnce::augment {

namespace {

void check_count(const char* name, const std::vector<double>& values, int channels) {
  if (values.size() != static_cast<size_t>(channels)) {
    fail(Hint{"specify one number per channel"}, name, " has ", counted(values.size(), "value"),
         ", expected ", channels);
  }
}

}  // namespace

void check_channels(int channels) {
  if (channels != 1 && channels != 3) {
    fail("channels = ", channels, ", expected 1 (gray) or 3 (color)");
  }
}

void check_view_format(const ViewFormat& format) {
  check_channels(format.channels);
  if (format.image_size < 1) fail("image_size = ", format.image_size, ", expected at least 1");
  check_count("mean", format.mean, format.channels);
  check_count("std", format.std, format.channels);
  for (const double deviation : format.std) {
    if (!(deviation > 0)) fail("std contains ", deviation, ", expected numbers above 0");
  }
}

ViewWriter::ViewWriter(const ViewFormat& format) : format_(format) {
  check_view_format(format);
  for (size_t c = 0; c < format.mean.size(); ++c) {
    scale_.push_back(static_cast<float>(1 / format.std[c]));
    shift_.push_back(static_cast<float>(-format.mean[c] / format.std[c]));
  }
}

void ViewWriter::reduce_channels(FloatImage& image) const {
  if (format_.channels == 1) reduce_to_gray(image);
}

void ViewWriter::write(const FloatImage& image, float* out) const {
  const size_t size = image.plane_size();
  const auto plane_for = [&](int c) { return image.plane(image.channels() == 1 ? 0 : c); };
  if (format_.channels == 3 && format_.order == PixelOrder::kChannelsLast) {
    const float* const planes[3] = {plane_for(0), plane_for(1), plane_for(2)};
    standardize_interleaved(planes, size, scale_.data(), shift_.data(), out);
    return;
  }
  for (int c = 0; c < format_.channels; ++c) {
    const auto channel = static_cast<size_t>(c);
    standardize(plane_for(c), size, scale_[channel], shift_[channel], out + channel * size);
  }
}

int InputFormat::channels() const {
  switch (kind) {
    case SampleKind::kImage:
      return image.channels;
    case SampleKind::kVector:
      return vector_size;
    case SampleKind::kAudio:
      break;
  }
  return 1;
}

int InputFormat::height() const {
  if (kind == SampleKind::kVector) return 1;
  return kind == SampleKind::kImage ? image.image_size : mel.mels;
}

int InputFormat::width() const {
  if (kind == SampleKind::kVector) return 1;
  return kind == SampleKind::kImage ? image.image_size : static_cast<int>(mel.frames());
}

void check_input_format(const InputFormat& format) {
  if (format.kind == SampleKind::kImage) return check_view_format(format.image);
  if (format.kind == SampleKind::kAudio) check_mel_options(format.mel, "input");
  if (format.kind == SampleKind::kVector && format.vector_size < 1) {
    fail("vector_size = ", format.vector_size, ", expected at least 1");
  }
  if (!(format.std > 0)) fail("std = ", format.std, ", expected a number above 0");
}

}  // namespace projnce::augment
