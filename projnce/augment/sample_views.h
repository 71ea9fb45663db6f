#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "projnce/augment/augment_options.h"
#include "projnce/augment/eval_transform.h"
#include "projnce/augment/input_format.h"
#include "projnce/augment/sound/log_mel.h"
#include "projnce/augment/sound/sound_augmenter.h"
#include "projnce/augment/train_transform.h"

namespace projnce {

/// Noises to mix into sounds, shared by the threads that do so.
using BackgroundClips = std::shared_ptr<const std::vector<Clip>>;

/// Views of samples when nothing is random. Sounds become spectrograms; features are standardised.
/// Keeps its buffers between calls, so each thread has one of its own.
class EvalViews {
 public:
  explicit EvalViews(const InputFormat& format);

  /// What a view looks at in a picture of this size.
  PictureNeed need(int height, int width) const;

  /// REQUIRES: `out` has room for format().values(). Throws where the sample is of another kind or
  /// shape than the format.
  void make_view(const Sample& sample, float* out);

  const InputFormat& format() const { return format_; }

 private:
  InputFormat format_;
  std::optional<EvalTransform> pictures_;
  std::optional<LogMel> log_mel_;
  Features spectrogram_;
};

/// Random views of training samples, each a function of sample and seed alone. Features are not
/// augmented. Keeps its buffers between calls, so each thread has one of its own.
class TrainViews {
 public:
  /// `background`: noises for sounds, at the format's rate; null for none.
  TrainViews(const AugmentOptions& options, const InputFormat& format, BackgroundClips background);

  /// What the views with these seeds look at in a picture of this size.
  PictureNeed need(std::span<const uint64_t> seeds, int height, int width) const;

  /// As EvalViews::make_view.
  void make_view(const Sample& sample, uint64_t seed, float* out);

  const InputFormat& format() const { return plain_.format(); }

 private:
  EvalViews plain_;
  std::optional<TrainTransform> pictures_;
  std::optional<SoundAugmenter> sounds_;
  BackgroundClips background_;
  Features spectrogram_;
};

}  // namespace projnce
