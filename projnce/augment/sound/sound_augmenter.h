#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "projnce/augment/augment_options.h"
#include "projnce/augment/sound/log_mel.h"
#include "projnce/core/sample.h"
#include "projnce/core/seed.h"

namespace projnce::augment {

// What is done to a sound and its spectrogram; who draws the numbers is SoundAugmenter.

/// The root of the mean square; 0 for silence and for nothing.
double root_mean_square(std::span<const float> samples);

/// `samples` times `gain`, later by `shift` places (earlier where it is negative); zeros come in.
void shift_samples(std::span<const float> samples, int64_t shift, double gain,
                   std::vector<float>& out);

/// Adds white Gaussian noise whose root mean square is `decibels` below that of the samples.
/// Silence stays silent.
void add_noise(std::span<float> samples, double decibels, Random random);

/// Adds the stretch of `background` from sample `begin` on, over again where it ends, so loud that
/// it is `decibels` below the samples. Where either is silent nothing is added.
/// REQUIRES: 0 <= begin < background.size().
void add_background(std::span<float> samples, std::span<const float> background, int64_t begin,
                    double decibels);

/// Blanks `count` columns (moments) or rows (bands) of a spectrogram from `begin` on.
void mask_columns(Features& spectrogram, int64_t begin, int64_t count, float value);
void mask_rows(Features& spectrogram, int64_t begin, int64_t count, float value);

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

}  // namespace projnce::augment
