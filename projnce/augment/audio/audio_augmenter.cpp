#include "projnce/augment/audio/audio_augmenter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace projnce::augment {

namespace {

double amplitude_ratio(double decibels) {
  return std::pow(10, decibels / 20);
}

}  // namespace

double root_mean_square(std::span<const float> samples) {
  double sum = 0;
  for (const float sample : samples) sum += static_cast<double>(sample) * sample;
  return samples.empty() ? 0 : std::sqrt(sum / static_cast<double>(samples.size()));
}

void shift_samples(std::span<const float> samples, int64_t shift, double gain,
                   std::vector<float>& out) {
  const auto size = std::ssize(samples);
  const int64_t from = std::clamp<int64_t>(-shift, 0, size);
  const int64_t to = std::clamp<int64_t>(shift, 0, size);
  out.assign(samples.size(), 0);
  std::transform(samples.begin() + from, samples.end() - to, out.begin() + to,
                 [factor = static_cast<float>(gain)](float sample) { return factor * sample; });
}

void add_noise(std::span<float> samples, double decibels, Random random) {
  const double scale = root_mean_square(samples) / amplitude_ratio(decibels);
  if (scale == 0) return;
  for (size_t i = 0; i < samples.size(); i += 2) {
    const auto [first, second] = random.normal_pair();
    samples[i] += static_cast<float>(scale * first);
    if (i + 1 < samples.size()) samples[i + 1] += static_cast<float>(scale * second);
  }
}

void add_background(std::span<float> samples, std::span<const float> background, int64_t begin,
                    double decibels) {
  std::vector<float> segment(samples.size());
  auto source = static_cast<size_t>(begin);
  for (float& value : segment) {
    value = background[source];
    if (++source == background.size()) source = 0;
  }
  const double segment_rms = root_mean_square(segment);
  if (segment_rms == 0) return;
  const double scale = root_mean_square(samples) / amplitude_ratio(decibels) / segment_rms;
  for (size_t i = 0; i < samples.size(); ++i) samples[i] += static_cast<float>(scale * segment[i]);
}

void mask_columns(Features& spectrogram, int64_t begin, int64_t count, float value) {
  const int64_t width = spectrogram.width;
  const int64_t rows = std::ssize(spectrogram.values) / width;
  for (int64_t row = 0; row < rows; ++row) {
    std::fill_n(spectrogram.values.begin() + row * width + begin, count, value);
  }
}

void mask_rows(Features& spectrogram, int64_t begin, int64_t count, float value) {
  const int64_t width = spectrogram.width;
  std::fill_n(spectrogram.values.begin() + begin * width, count * width, value);
}

namespace {

struct MaskRange {
  int64_t begin;
  int64_t count;
};

/// Draws a range of up to `fraction` of `size` positions.
MaskRange draw_mask(double fraction, int64_t size, Random& random) {
  const auto max_count = static_cast<int64_t>(fraction * static_cast<double>(size));
  const int64_t count = random.below(max_count + 1);
  return {.begin = random.below(size - count + 1), .count = count};
}

float spectrogram_mean(const Features& spectrogram) {
  const auto& values = spectrogram.values;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return static_cast<float>(sum / static_cast<double>(values.size()));
}

}  // namespace

AudioAugmenter::AudioAugmenter(const AudioAugmentOptions& options, const MelOptions& mel)
    : options_(options), log_mel_(mel) {}

void AudioAugmenter::make_view(std::span<const float> samples, uint64_t seed,
                               std::span<const Clip> backgrounds, Features& out) {
  Random random(seed);
  perturb(samples, backgrounds, random);
  log_mel_.compute(samples_, out);
  mask(random, out);
}

void AudioAugmenter::perturb(std::span<const float> samples, std::span<const Clip> backgrounds,
                             Random& random) {
  const auto length = static_cast<double>(samples.size());
  const double shift = random.uniform(-options_.time_shift, options_.time_shift) * length;
  const double gain = std::pow(10, random.uniform(-options_.gain_db, options_.gain_db) / 20);
  shift_samples(samples, std::llround(shift), gain, samples_);

  if (random.uniform() < options_.background_probability && !backgrounds.empty()) {
    const auto which = static_cast<size_t>(random.below(std::ssize(backgrounds)));
    const auto& background = backgrounds[which].samples;
    const int64_t positions =
        std::max<int64_t>(1, std::ssize(background) - std::ssize(samples) + 1);
    const int64_t begin = random.below(positions);
    const double below = random.uniform(options_.background_db_min, options_.background_db_max);
    if (!background.empty()) add_background(samples_, background, begin, below);
  }
  if (random.uniform() < options_.noise_probability) {
    const double below = random.uniform(options_.noise_db_min, options_.noise_db_max);
    add_noise(samples_, below, Random(random.next()));
  }
}

void AudioAugmenter::mask(Random& random, Features& spectrogram) const {
  const auto frames = draw_mask(options_.time_mask, spectrogram.width, random);
  const auto bands = draw_mask(options_.frequency_mask, spectrogram.height, random);
  const float mean = spectrogram_mean(spectrogram);
  mask_columns(spectrogram, frames.begin, frames.count, mean);
  mask_rows(spectrogram, bands.begin, bands.count, mean);
}

}  // namespace projnce::augment
