#include "projnce/report/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace projnce {

namespace {

constexpr std::array<const char*, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr size_t kMiddleBlock = 3;

double finite_mean(std::span<const double> values) {
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    // As a running mean: a sum of huge values would not be finite.
    sum += (value - sum) / ++count;
  }
  return count > 0 ? sum : std::numeric_limits<double>::quiet_NaN();
}

/// At most `width` means over neighbours, of as equal a number as can be.
std::vector<double> thin_out(std::span<const double> values, size_t width) {
  const size_t count = std::min(values.size(), width);
  std::vector<double> means;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = i * values.size() / count;
    means.push_back(finite_mean(values.subspan(begin, (i + 1) * values.size() / count - begin)));
  }
  return means;
}

}  // namespace

std::string sparkline(std::span<const double> values, int width) {
  const auto points = thin_out(values, static_cast<size_t>(std::max(width, 1)));
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double point : points) {
    if (std::isnan(point)) continue;
    low = std::min(low, point);
    high = std::max(high, point);
  }
  if (low > high) return {};
  std::string line;
  for (const double point : points) {
    // Halves, since the distance of the two ends may be more than a number can hold.
    const double share = low < high ? (point / 2 - low / 2) / (high / 2 - low / 2) : 0;
    const auto level = low < high ? static_cast<size_t>(std::lround(7 * share)) : kMiddleBlock;
    line += std::isnan(point) ? " " : kBlocks.at(level);
  }
  return line;
}

}  // namespace projnce
