#include "projnce/augment/sound/log_mel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "projnce/core/error.h"

namespace projnce {

namespace {

const MelOptions& checked_mel_options(const MelOptions& options) {
  check_mel_options(options, "sound");
  return options;
}

}  // namespace

std::vector<double> periodic_hann(int size) {
  std::vector<double> window;
  for (int i = 0; i < size; ++i) {
    window.push_back(0.5 - 0.5 * std::cos(2 * std::numbers::pi * i / size));
  }
  return window;
}

int64_t mirrored_index(int64_t index, int64_t size) {
  if (size == 1) return 0;
  const int64_t period = 2 * (size - 1);
  index = std::abs(index) % period;
  return index < size ? index : period - index;
}

LogMel::LogMel(const MelOptions& options)
    : options_(checked_mel_options(options)),
      bands_(mel_filters(options)),
      window_(periodic_hann(options.fft)),
      spectrum_(options.fft) {}

/// Writes a frame under its window to every second place: the parts of complex numbers alternate.
void LogMel::load_frame(std::span<const float> samples, int64_t frame, double* part) const {
  const int64_t begin = frame * options_.hop - options_.fft / 2;
  const bool inside = begin >= 0 && begin + options_.fft <= std::ssize(samples);
  for (int64_t i = 0; i < options_.fft; ++i) {
    const int64_t at = inside ? begin + i : mirrored_index(begin + i, std::ssize(samples));
    part[2 * i] = window_[static_cast<size_t>(i)] * samples[static_cast<size_t>(at)];
  }
}

/// Writes the bands of frames `frame` and, unless that was the last, `frame` + 1.
void LogMel::write_columns(const PowerSpectrum::Powers& powers, int64_t frame,
                           Features& out) const {
  const bool pair = frame + 1 < out.width;
  float* column = out.values.data() + frame;
  for (const auto& [first_bin, weights] : bands_) {
    const double* first = powers.first.data() + first_bin;
    const double* second = powers.second.data() + first_bin;
    double energy[2] = {kLogMelFloor, kLogMelFloor};
    for (size_t k = 0; k < weights.size(); ++k) {
      energy[0] += weights[k] * first[k];
      energy[1] += weights[k] * second[k];
    }
    column[0] = std::log(static_cast<float>(energy[0]));
    if (pair) column[1] = std::log(static_cast<float>(energy[1]));
    column += out.width;
  }
}

void LogMel::compute(std::span<const float> samples, Features& out) {
  if (samples.empty()) fail("a sound without samples has no spectrogram");
  const auto frames = std::ssize(samples) / options_.hop + 1;
  out.channels = 1;
  out.height = options_.mels;
  out.width = static_cast<int>(frames);
  out.values.resize(bands_.size() * static_cast<size_t>(frames));
  auto* parts = reinterpret_cast<double*>(spectrum_.frames().data());
  for (int64_t t = 0; t < frames; t += 2) {
    load_frame(samples, t, parts);
    load_frame(samples, std::min(t + 1, frames - 1), parts + 1);
    write_columns(spectrum_.compute(), t, out);
  }
}

}  // namespace projnce
