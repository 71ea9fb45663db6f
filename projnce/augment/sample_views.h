#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "projnce/augment/audio/audio_augmenter.h"
#include "projnce/augment/audio/log_mel.h"
#include "projnce/augment/augment_options.h"
#include "projnce/augment/crop.h"
#include "projnce/augment/input_format.h"
#include "projnce/augment/pixel_ops.h"
#include "projnce/augment/resample.h"
#include "projnce/core/sample.h"
#include "projnce/core/seed.h"

namespace projnce::augment {

/// Deterministic view of an image: shorter side resized to the model's size, center crop,
/// standardization. An image that already has that size is not resampled. Reuses its buffers; use
/// one per thread.
class EvalTransform {
 public:
  explicit EvalTransform(const ViewFormat& format) : writer_(format) {}

  /// Region that a view reads, given the image size; see eval_region.
  DecodeRegion required_region(int height, int width) const {
    return eval_region(format().image_size, height, width);
  }

  /// `image` may be partially decoded, as requested by `required_region`. REQUIRES: `out` has space
  /// for format().values().
  void make_view(const Image& image, float* out);

  const ViewFormat& format() const { return writer_.format(); }

 private:
  ViewWriter writer_;
  Resampler resampler_;
  FloatImage view_;
};

/// Random views of training images: random resized crop, flip, color jitter, grayscale,
/// standardization. Reuses its buffers; use one per thread.
///
/// A view depends only on the image and its seed. Order of draws, independent of whether they
/// affect the image (saturation, hue and grayscale do not affect gray images):
///   1. the crop (see random_crop)        2. flip or not
///   3. jitter or not; if so: brightness, contrast, saturation and hue factors, then three draws
///      that shuffle the four operations  4. grayscale or not
class TrainTransform {
 public:
  TrainTransform(const AugmentOptions& options, const ViewFormat& format);

  /// Region that the views with these seeds read, given the image size; see train_region.
  DecodeRegion required_region(std::span<const uint64_t> seeds, int height, int width) const {
    return train_region(options_, format().image_size, seeds, height, width);
  }

  /// Writes one view. `image` may be partially decoded, as requested by `required_region`.
  /// REQUIRES: `out` has space for format().values().
  void make_view(const Image& image, uint64_t seed, float* out);

  const ViewFormat& format() const { return writer_.format(); }

 private:
  void crop(const Image& image, Random& random);
  void jitter(Random& random);

  AugmentOptions options_;
  ViewWriter writer_;
  Resampler resampler_;
  FloatImage view_;
};

/// Seed of one view: independent of the thread, different for each epoch, sample and view.
constexpr uint64_t view_seed(uint64_t seed, int64_t epoch, int64_t index, int64_t view) {
  return derive_seed(derive_seed(seed, static_cast<uint64_t>(epoch)), static_cast<uint64_t>(index),
                     static_cast<uint64_t>(view));
}

/// Noises to mix into clips, shared by threads.
using BackgroundClips = std::shared_ptr<const std::vector<Clip>>;

/// Deterministic views of samples. Clips become spectrograms; features are standardized. Reuses
/// its buffers; use one per thread.
class EvalViews {
 public:
  explicit EvalViews(const InputFormat& format);

  /// Region that a view reads, given the image size.
  DecodeRegion required_region(int height, int width) const;

  /// REQUIRES: `out` has space for format().values(). Throws if the kind or shape of the sample
  /// does not match the format.
  void make_view(const Sample& sample, float* out);

  const InputFormat& format() const { return format_; }

 private:
  InputFormat format_;
  std::optional<EvalTransform> images_;
  std::optional<LogMel> log_mel_;
  Features spectrogram_;
};

/// Random views of training samples, each depending only on sample and seed. Features are not
/// augmented. Reuses its buffers; use one per thread.
class TrainViews {
 public:
  /// `background`: noises for clips, at the format's rate; null for none.
  TrainViews(const AugmentOptions& options, const InputFormat& format, BackgroundClips background);

  /// Region that the views with these seeds read, given the image size.
  DecodeRegion required_region(std::span<const uint64_t> seeds, int height, int width) const;

  /// As EvalViews::make_view.
  void make_view(const Sample& sample, uint64_t seed, float* out);

  const InputFormat& format() const { return plain_.format(); }

 private:
  EvalViews plain_;
  std::optional<TrainTransform> images_;
  std::optional<AudioAugmenter> audio_;
  BackgroundClips background_;
  Features spectrogram_;
};

}  // namespace projnce::augment
