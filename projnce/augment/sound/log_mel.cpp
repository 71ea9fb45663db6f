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
      frame_(window_.size()),
      spectrum_(options.fft) {}

void LogMel::load_frame(std::span<const float> samples, int64_t frame) {
  const int64_t begin = frame * options_.hop - options_.fft / 2;
  const auto size = std::ssize(samples);
  const bool inside = begin >= 0 && begin + options_.fft <= size;
  for (int64_t i = 0; i < options_.fft; ++i) {
    const int64_t at = inside ? begin + i : mirrored_index(begin + i, size);
    frame_[static_cast<size_t>(i)] =
        window_[static_cast<size_t>(i)] * static_cast<double>(samples[static_cast<size_t>(at)]);
  }
}

void LogMel::compute(std::span<const float> samples, Features& out) {
  if (samples.empty()) fail("a sound without samples has no spectrogram");
  const auto frames = static_cast<int64_t>(samples.size()) / options_.hop + 1;
  out.channels = 1;
  out.height = options_.mels;
  out.width = static_cast<int>(frames);
  out.values.resize(bands_.size() * static_cast<size_t>(frames));
  for (int64_t t = 0; t < frames; ++t) {
    load_frame(samples, t);
    const auto powers = spectrum_.compute(frame_);
    float* column = out.values.data() + t;
    for (const auto& [first, weights] : bands_) {
      const double energy =
          std::inner_product(weights.begin(), weights.end(), powers.begin() + first, 0.0);
      *column = static_cast<float>(std::log(energy + kLogFloor));
      column += frames;
    }
  }
}

}  // namespace projnce
