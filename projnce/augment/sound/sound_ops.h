#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/core/seed.h"

namespace projnce {

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

}  // namespace projnce
