#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "projnce/augment/audio/log_mel.h"
#include "projnce/augment/augment_options.h"
#include "projnce/core/sample.h"
#include "projnce/core/seed.h"

namespace projnce::augment {

// Deterministic operations on clips and spectrograms; AudioAugmenter draws their parameters.

/// Root mean square; 0 for silent or empty input.
double root_mean_square(std::span<const float> samples);

/// Multiplies `samples` by `gain` and delays them by `shift` samples (negative: advances them),
/// zero-padded.
void shift_samples(std::span<const float> samples, int64_t shift, double gain,
                   std::vector<float>& out);

/// Adds white Gaussian noise with an RMS `decibels` below that of the samples. Silence is
/// unchanged.
void add_noise(std::span<float> samples, double decibels, Random random);

/// Adds `background` starting at sample `begin`, repeated if necessary, scaled to an RMS `decibels`
/// below that of the samples. No-op if either is silent.
/// REQUIRES: 0 <= begin < background.size().
void add_background(std::span<float> samples, std::span<const float> background, int64_t begin,
                    double decibels);

/// Sets `count` columns (frames) or rows (bands) of a spectrogram from `begin` to `value`.
void mask_columns(Features& spectrogram, int64_t begin, int64_t count, float value);
void mask_rows(Features& spectrogram, int64_t begin, int64_t count, float value);

/// Random views of training clips: time shift, gain, background and white noise; then the log-mel
/// spectrogram with one time mask and one frequency mask filled with its mean (SpecAugment). Reuses
/// its buffers; use one per thread.
///
/// A view depends only on the clip, the backgrounds and the seed. Order of draws, independent of
/// whether they affect the clip:
///   1. shift              2. gain
///   3. whether to add a background; if so (and there are any): which, its start, its level
///   4. whether to add noise; if so: its level, the seed of the noise
///   5. number of masked frames, first one      6. number of masked bands, first one
class AudioAugmenter {
 public:
  AudioAugmenter(const AudioAugmentOptions& options, const MelOptions& mel);

  /// Writes one view, 1 x mels x frames. Empty backgrounds are skipped.
  /// REQUIRES: `samples` and `backgrounds` have sampling rate mel.rate; `samples` is not empty.
  void make_view(std::span<const float> samples, uint64_t seed, std::span<const Clip> backgrounds,
                 Features& out);

  const MelOptions& mel_options() const { return log_mel_.options(); }

 private:
  void perturb(std::span<const float> samples, std::span<const Clip> backgrounds, Random& random);
  void mask(Random& random, Features& spectrogram) const;

  AudioAugmentOptions options_;
  LogMel log_mel_;
  std::vector<float> samples_;
};

}  // namespace projnce::augment
