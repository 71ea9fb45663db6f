#include "projnce/augment/sound/mel_filters.h"

#include <algorithm>
#include <cmath>

namespace projnce {

namespace {

constexpr double kSlaneyKnee = 1000;              // Hz: linear below, logarithmic above
constexpr double kSlaneyStep = 200.0 / 3;         // Hz for each mel below
const double kSlaneyGrowth = std::log(6.4) / 27;  // of the logarithm for each mel above

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

}  // namespace projnce
