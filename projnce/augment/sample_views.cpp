#include "projnce/augment/sample_views.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "projnce/augment/crop.h"
#include "projnce/augment/pixel_ops.h"
#include "projnce/core/error.h"

namespace projnce::augment {

void EvalTransform::make_view(const Image& image, float* out) {
  check_image(image);
  const int height = image.full_height();
  const int width = image.full_width();
  const int shorter = std::min(height, width);
  const int size = format().image_size;
  resampler_.resize(image, to_window_rows(image, center_crop_axis(height, shorter, size)),
                    to_window_columns(image, center_crop_axis(width, shorter, size)), Mirror::kNo,
                    view_);
  writer_.reduce_channels(view_);
  writer_.write(view_, out);
}

namespace {

struct Adjustment {
  void (*apply)(FloatImage& image, double factor);
  double factor;
};

}  // namespace

TrainTransform::TrainTransform(const AugmentOptions& options, const ViewFormat& format)
    : options_(options), writer_(format) {}

void TrainTransform::make_view(const Image& image, uint64_t seed, float* out) {
  check_image(image);
  Random random(seed);
  crop(image, random);
  writer_.reduce_channels(view_);
  if (random.uniform() < options_.jitter_probability) jitter(random);
  if (random.uniform() < options_.grayscale_probability) make_grayscale(view_);
  writer_.write(view_, out);
}

void TrainTransform::crop(const Image& image, Random& random) {
  const auto box = random_crop(options_, image.full_height(), image.full_width(), random);
  const auto mirror =
      random.uniform() < options_.flip_probability ? Mirror::kHorizontal : Mirror::kNo;
  const int size = format().image_size;
  const ResizeAxis vertical{double(box.top), double(box.height), size, 0, size};
  const ResizeAxis horizontal{double(box.left), double(box.width), size, 0, size};
  resampler_.resize(image, to_window_rows(image, vertical), to_window_columns(image, horizontal),
                    mirror, view_);
}

void TrainTransform::jitter(Random& random) {
  const auto around_one = [&](double strength) {
    return random.uniform(1 - strength, 1 + strength);
  };
  // Braced initializers are evaluated from left to right.
  std::array adjustments{
      Adjustment{adjust_brightness, around_one(options_.brightness)},
      Adjustment{adjust_contrast, around_one(options_.contrast)},
      Adjustment{adjust_saturation, around_one(options_.saturation)},
      Adjustment{shift_hue, random.uniform(-options_.hue, options_.hue)},
  };
  random.shuffle(adjustments);
  for (const auto& adjustment : adjustments) adjustment.apply(view_, adjustment.factor);
}

namespace {

[[noreturn]] void fail_kind() {
  fail("the kind of a sample (image, audio clip or vector) does not match the model's input");
}

void write_features(const Features& features, const InputFormat& format, float* out) {
  if (features.values.size() != format.values() || features.height != format.height()) {
    fail("a sample has shape ", features.channels, " x ", features.height, " x ", features.width,
         ", but the model expects ", format.channels(), " x ", format.height(), " x ",
         format.width());
  }
  const auto scale = static_cast<float>(1 / format.std);
  const auto shift = static_cast<float>(-format.mean / format.std);
  for (size_t i = 0; i < features.values.size(); ++i) out[i] = features.values[i] * scale + shift;
}

}  // namespace

EvalViews::EvalViews(const InputFormat& format) : format_(format) {
  check_input_format(format);
  if (format.kind == SampleKind::kImage) images_.emplace(format.image);
  if (format.kind == SampleKind::kAudio) log_mel_.emplace(format.mel);
}

DecodeRegion EvalViews::required_region(int height, int width) const {
  return images_ ? images_->required_region(height, width) : DecodeRegion{{0, 0, height, width}};
}

void EvalViews::make_view(const Sample& sample, float* out) {
  if (const auto* features = std::get_if<Features>(&sample)) {
    write_features(*features, format_, out);
  } else if (const auto* image = std::get_if<Image>(&sample); image != nullptr && images_) {
    images_->make_view(*image, out);
  } else if (const auto* clip = std::get_if<Clip>(&sample); clip != nullptr && log_mel_) {
    log_mel_->compute(clip->samples, spectrogram_);
    write_features(spectrogram_, format_, out);
  } else {
    fail_kind();
  }
}

TrainViews::TrainViews(const AugmentOptions& options, const InputFormat& format,
                       BackgroundClips background)
    : plain_(format), background_(std::move(background)) {
  if (format.kind == SampleKind::kImage) images_.emplace(options, format.image);
  if (format.kind == SampleKind::kAudio) {
    audio_.emplace(options.audio, format.mel);
  }
}

DecodeRegion TrainViews::required_region(std::span<const uint64_t> seeds, int height,
                                         int width) const {
  return images_ ? images_->required_region(seeds, height, width)
                 : DecodeRegion{{0, 0, height, width}};
}

void TrainViews::make_view(const Sample& sample, uint64_t seed, float* out) {
  if (const auto* image = std::get_if<Image>(&sample); image != nullptr && images_) {
    images_->make_view(*image, seed, out);
  } else if (const auto* clip = std::get_if<Clip>(&sample); clip != nullptr && audio_) {
    const auto background =
        background_ ? std::span<const Clip>(*background_) : std::span<const Clip>();
    audio_->make_view(clip->samples, seed, background, spectrogram_);
    write_features(spectrogram_, format(), out);
  } else {
    plain_.make_view(sample, out);
  }
}

}  // namespace projnce::augment
