#include "projnce/augment/sound/sound_ops.h"

#include <algorithm>
#include <cmath>

namespace projnce {

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
  std::vector<float> stretch(samples.size());
  auto source = static_cast<size_t>(begin);
  for (float& value : stretch) {
    value = background[source];
    if (++source == background.size()) source = 0;
  }
  const double loudness = root_mean_square(stretch);
  if (loudness == 0) return;
  const double scale = root_mean_square(samples) / amplitude_ratio(decibels) / loudness;
  for (size_t i = 0; i < samples.size(); ++i) samples[i] += static_cast<float>(scale * stretch[i]);
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

}  // namespace projnce
