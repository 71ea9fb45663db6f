#include "projnce/augment/sound/log_mel.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr double kLogFloor = 1e-6;

const MelOptions& checked_mel_options(const MelOptions& options) {
  check_mel_options(options, "sound");
  return options;
}

std::vector<double> periodic_hann(int size) {
  std::vector<double> window;
  for (int i = 0; i < size; ++i) {
    window.push_back(0.5 - 0.5 * std::cos(2 * std::numbers::pi * i / size));
  }
  return window;
}

/// The sample that stands at `index` when a sound of `size` samples is mirrored at both ends.
int64_t mirrored_index(int64_t index, int64_t size) {
  if (size == 1) return 0;
  const int64_t period = 2 * (size - 1);
  index = std::abs(index) % period;
  return index < size ? index : period - index;
}

}  // namespace

LogMel::LogMel(const MelOptions& options)
    : options_(checked_mel_options(options)),
      bands_(mel_filters(options)),
      window_(periodic_hann(options.fft)),
      spectrum_(options.fft) {}

double LogMel::windowed(std::span<const float> samples, int64_t frame, int64_t index) const {
  int64_t at = frame * options_.hop - options_.fft / 2 + index;
  if (at < 0 || at >= std::ssize(samples)) at = mirrored_index(at, std::ssize(samples));
  return window_[static_cast<size_t>(index)] *
         static_cast<double>(samples[static_cast<size_t>(at)]);
}

void LogMel::write_column(std::span<const double> powers, int64_t frame, Features& out) const {
  float* value = out.values.data() + frame;
  for (const auto& [first, weights] : bands_) {
    const double energy =
        std::inner_product(weights.begin(), weights.end(), powers.begin() + first, 0.0);
    *value = std::log(static_cast<float>(energy + kLogFloor));
    value += out.width;
  }
}

void LogMel::compute(std::span<const float> samples, Features& out) {
  if (samples.empty()) fail("a sound without samples has no spectrogram");
  const auto frames = std::ssize(samples) / options_.hop + 1;
  out.channels = 1;
  out.height = options_.mels;
  out.width = static_cast<int>(frames);
  out.values.resize(bands_.size() * static_cast<size_t>(frames));
  for (int64_t t = 0; t < frames; t += 2) {
    const bool pair = t + 1 < frames;
    const auto both = spectrum_.frames();
    for (int64_t i = 0; i < options_.fft; ++i) {
      both[static_cast<size_t>(i)] = {windowed(samples, t, i),
                                      pair ? windowed(samples, t + 1, i) : 0};
    }
    const auto powers = spectrum_.compute();
    write_column(powers.first, t, out);
    if (pair) write_column(powers.second, t + 1, out);
  }
}

}  // namespace projnce
