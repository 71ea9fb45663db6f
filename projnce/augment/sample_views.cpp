#include "projnce/augment/sample_views.h"

#include <cstddef>
#include <span>
#include <utility>

#include "projnce/core/error.h"

namespace projnce {

namespace {

[[noreturn]] void fail_kind() {
  fail("a sample is of another kind (picture, sound or vector) than the model takes");
}

void write_features(const Features& features, const InputFormat& format, float* out) {
  if (features.values.size() != format.values() || features.height != format.height()) {
    fail("a sample has the shape ", features.channels, " x ", features.height, " x ",
         features.width, ", but the model takes ", format.channels(), " x ", format.height(), " x ",
         format.width());
  }
  const auto scale = static_cast<float>(1 / format.std);
  const auto shift = static_cast<float>(-format.mean / format.std);
  for (size_t i = 0; i < features.values.size(); ++i) out[i] = features.values[i] * scale + shift;
}

}  // namespace

EvalViews::EvalViews(const InputFormat& format) : format_(format) {
  check_input_format(format);
  if (format.kind == SampleKind::kImage) pictures_.emplace(format.picture);
  if (format.kind == SampleKind::kSound) log_mel_.emplace(format.mel);
}

PictureNeed EvalViews::need(int height, int width) const {
  return pictures_ ? pictures_->need(height, width) : PictureNeed{{0, 0, height, width}};
}

void EvalViews::make_view(const Sample& sample, float* out) {
  if (const auto* features = std::get_if<Features>(&sample)) {
    write_features(*features, format_, out);
  } else if (const auto* image = std::get_if<Image>(&sample); image != nullptr && pictures_) {
    pictures_->make_view(*image, out);
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
  if (format.kind == SampleKind::kImage) pictures_.emplace(options, format.picture);
  if (format.kind == SampleKind::kSound) {
    sounds_.emplace(options.sound, format.mel);
  }
}

PictureNeed TrainViews::need(std::span<const uint64_t> seeds, int height, int width) const {
  return pictures_ ? pictures_->need(seeds, height, width) : PictureNeed{{0, 0, height, width}};
}

void TrainViews::make_view(const Sample& sample, uint64_t seed, float* out) {
  if (const auto* image = std::get_if<Image>(&sample); image != nullptr && pictures_) {
    pictures_->make_view(*image, seed, out);
  } else if (const auto* clip = std::get_if<Clip>(&sample); clip != nullptr && sounds_) {
    const auto background =
        background_ ? std::span<const Clip>(*background_) : std::span<const Clip>();
    sounds_->make_view(clip->samples, seed, background, spectrogram_);
    write_features(spectrogram_, format(), out);
  } else {
    plain_.make_view(sample, out);
  }
}

}  // namespace projnce
