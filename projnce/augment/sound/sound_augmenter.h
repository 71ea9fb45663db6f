#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "projnce/augment/sound/log_mel.h"
#include "projnce/augment/sound/sound_augment_options.h"
#include "projnce/core/sample.h"
#include "projnce/core/seed.h"

namespace projnce {

/// Makes random views of training sounds: shifted in time, louder or softer, with a background and
/// white noise; then the log-mel spectrogram with a stretch of time and one of bands blanked by its
/// mean. Keeps its buffers between calls, so each thread has one of its own.
///
/// A view is a function of the sound, the backgrounds and the seed alone. The draws come in this
/// order, whether or not their outcome matters for the sound:
///   1. shift              2. gain
///   3. background or not; if so (and there are any): which, where it begins, how far below
///   4. noise or not; if so: how far below, the seed of the noise
///   5. moments blanked, the first of them      6. bands blanked, the first of them
class SoundAugmenter {
 public:
  SoundAugmenter(const SoundAugmentOptions& options, const MelOptions& mel);

  /// Writes one view, 1 x mels x frames. Backgrounds without samples are passed over.
  /// REQUIRES: `samples` and `backgrounds` have mel.rate samples a second; `samples` is not empty.
  void make_view(std::span<const float> samples, uint64_t seed, std::span<const Clip> backgrounds,
                 Features& out);

  const MelOptions& mel_options() const { return log_mel_.options(); }

 private:
  void disturb(std::span<const float> samples, std::span<const Clip> backgrounds, Random& random);
  void mask(Random& random, Features& spectrogram) const;

  SoundAugmentOptions options_;
  LogMel log_mel_;
  std::vector<float> samples_;
};

}  // namespace projnce
