#include "projnce/reproduce/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace projnce {

namespace {

constexpr double kLeastGap = 0.07;  // of the axis: about a label

double round_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * 1.0001) return factor * power;
  }
  return 10 * power;
}

std::vector<double> scaled_to_one(std::vector<double> values) {
  const double low = values.front();
  const double extent = values.back() - low;
  for (auto& value : values) value = (value - low) / extent;
  return values;
}

bool is_crowded(const std::vector<double>& places) {
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i] - places[i - 1] < kLeastGap) return true;
  }
  return false;
}

}  // namespace

std::string plain_number(double value) {
  return (value < 0 ? "−" : "") + fmt::format("{:.6g}", std::abs(value));
}

ValueAxis value_axis(std::span<const double> values, int steps) {
  double low = *std::min_element(values.begin(), values.end());
  double high = *std::max_element(values.begin(), values.end());
  if (high - low < 1e-9 * std::max(1.0, std::abs(high))) {
    const double room = std::max(0.5, 0.05 * std::abs(high));
    low -= room;
    high += room;
  }
  const double step = round_step((high - low) / steps);
  const auto first = std::llround(std::floor(low / step + 1e-9));
  const auto last = std::llround(std::ceil(high / step - 1e-9));
  ValueAxis axis{static_cast<double>(first) * step, static_cast<double>(last) * step, {}};
  const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step * 1.0001))));
  for (auto i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    const auto size = fmt::format("{:.{}f}", std::abs(value), digits);
    axis.ticks.push_back({value, (i < 0 ? "−" : "") + size});
  }
  return axis;
}

std::vector<double> spread_places(std::span<const double> rising) {
  if (rising.size() == 1) return {0.5};
  const auto by_value = scaled_to_one({rising.begin(), rising.end()});
  if (!is_crowded(by_value)) return by_value;
  if (rising.front() > 0) {
    std::vector<double> logarithms;
    for (const double value : rising) logarithms.push_back(std::log(value));
    auto by_logarithm = scaled_to_one(std::move(logarithms));
    if (!is_crowded(by_logarithm)) return by_logarithm;
  }
  std::vector<double> steps;
  for (size_t i = 0; i < rising.size(); ++i) {
    steps.push_back(static_cast<double>(i) / static_cast<double>(rising.size() - 1));
  }
  return steps;
}

}  // namespace projnce
