#include "projnce/augment/audio/log_mel.h"

#include <algorithm>
#include <cmath>
#include <kissfft/kissfft.hh>
#include <numbers>
#include <vector>

#include "projnce/core/error.h"

namespace projnce::augment {

namespace {

constexpr double kSlaneyKnee = 1000;              // Hz: linear below, logarithmic above
constexpr double kSlaneyStep = 200.0 / 3;         // Hz per mel below the knee
const double kSlaneyGrowth = std::log(6.4) / 27;  // log frequency per mel above the knee

double to_mel(double hertz, MelScale scale) {
  if (scale == MelScale::kHtk) return 2595 * std::log10(1 + hertz / 700);
  if (hertz < kSlaneyKnee) return hertz / kSlaneyStep;
  return kSlaneyKnee / kSlaneyStep + std::log(hertz / kSlaneyKnee) / kSlaneyGrowth;
}

double to_hertz(double mel, MelScale scale) {
  if (scale == MelScale::kHtk) return 700 * (std::pow(10, mel / 2595) - 1);
  const double knee = kSlaneyKnee / kSlaneyStep;
  if (mel < knee) return mel * kSlaneyStep;
  return kSlaneyKnee * std::exp((mel - knee) * kSlaneyGrowth);
}

std::vector<double> corner_frequencies(const MelOptions& options) {
  const double low = to_mel(options.low, options.scale);
  const double high = to_mel(options.highest(), options.scale);
  std::vector<double> corners;
  for (int i = 0; i < options.mels + 2; ++i) {
    corners.push_back(to_hertz(low + (high - low) * i / (options.mels + 1), options.scale));
  }
  return corners;
}

MelBand triangular_band(double left, double middle, double right, double bin_hertz, int bins) {
  MelBand band;
  for (int k = std::max(0, static_cast<int>(left / bin_hertz)); k < bins; ++k) {
    const double hertz = k * bin_hertz;
    if (hertz >= right) break;
    const double weight =
        std::min((hertz - left) / (middle - left), (right - hertz) / (right - middle));
    if (weight <= 0) continue;
    if (band.weights.empty()) band.first = k;
    band.weights.push_back(weight);
  }
  return band;
}

}  // namespace

std::vector<MelBand> mel_filters(const MelOptions& options) {
  const auto corners = corner_frequencies(options);
  const double bin_hertz = static_cast<double>(options.rate) / options.fft;
  const int bins = options.fft / 2 + 1;
  std::vector<MelBand> bands;
  for (size_t i = 0; i + 2 < corners.size(); ++i) {
    bands.push_back(triangular_band(corners[i], corners[i + 1], corners[i + 2], bin_hertz, bins));
    if (options.scale == MelScale::kHtk) continue;
    for (double& weight : bands.back().weights) weight *= 2 / (corners[i + 2] - corners[i]);
  }
  return bands;
}

struct PowerSpectrum::Transform {
  explicit Transform(size_t size)
      : fft(size, /*inverse=*/false),
        frames(size),
        spectrum(size),
        first(size / 2 + 1),
        second(size / 2 + 1) {}

  kissfft<double> fft;
  std::vector<std::complex<double>> frames;
  std::vector<std::complex<double>> spectrum;
  std::vector<double> first;
  std::vector<double> second;
};

PowerSpectrum::PowerSpectrum(int size)
    : transform_(std::make_unique<Transform>(static_cast<size_t>(size))) {}
PowerSpectrum::~PowerSpectrum() = default;
PowerSpectrum::PowerSpectrum(PowerSpectrum&&) noexcept = default;
PowerSpectrum& PowerSpectrum::operator=(PowerSpectrum&&) noexcept = default;

std::span<std::complex<double>> PowerSpectrum::frames() {
  return transform_->frames;
}

PowerSpectrum::Powers PowerSpectrum::compute() {
  auto& [fft, frames, spectrum, first, second] = *transform_;
  fft.transform(frames.data(), spectrum.data());
  // The transform of a real frame is conjugate symmetric. With z = spectrum[k] and w =
  // spectrum[-k], the transforms of the two frames are (z + conj w) / 2 and (z - conj w) / 2i.
  for (size_t k = 0; k < first.size(); ++k) {
    const auto z = spectrum[k];
    const auto w = std::conj(spectrum[k == 0 ? 0 : spectrum.size() - k]);
    first[k] = std::norm(z + w) / 4;
    second[k] = std::norm(z - w) / 4;
  }
  return {first, second};
}

namespace {

const MelOptions& checked_mel_options(const MelOptions& options) {
  check_mel_options(options, "audio");
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

/// Writes a windowed frame with stride 2, as the real or imaginary parts of complex numbers.
void LogMel::load_frame(std::span<const float> samples, int64_t frame, double* part) const {
  const int64_t begin = frame * options_.hop - options_.fft / 2;
  const bool inside = begin >= 0 && begin + options_.fft <= std::ssize(samples);
  for (int64_t i = 0; i < options_.fft; ++i) {
    const int64_t at = inside ? begin + i : mirrored_index(begin + i, std::ssize(samples));
    part[2 * i] = window_[static_cast<size_t>(i)] * samples[static_cast<size_t>(at)];
  }
}

/// Writes the bands of frames `frame` and, unless it is the last, `frame` + 1.
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
  if (samples.empty()) fail("a clip without samples has no spectrogram");
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

}  // namespace projnce::augment
