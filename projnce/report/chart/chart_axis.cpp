#include "projnce/report/chart/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace projnce::report {

namespace {

/// Returns the smallest of 1, 2, 5 times a power of ten that is at least `rough`.
double round_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * 1.0001) return factor * power;
  }
  return 10 * power;
}

/// Returns multiples of a round step; the outermost are outside or inside of the limits.
std::vector<ChartTick> linear_ticks(double low, double high, int steps, bool outside) {
  const double step = round_step((high - low) / steps);
  const auto first =
      std::llround(outside ? std::floor(low / step + 1e-9) : std::ceil(low / step - 1e-9));
  const auto last =
      std::llround(outside ? std::ceil(high / step - 1e-9) : std::floor(high / step + 1e-9));
  const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step * 1.0001))));
  std::vector<ChartTick> ticks;
  for (auto i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    ticks.push_back({value, fmt::format("{}{:.{}f}", i < 0 ? "−" : "", std::abs(value), digits)});
  }
  return ticks;
}

/// Returns 1, 2, 5 times powers of ten if these are few, else powers of ten.
std::vector<ChartTick> log_ticks(double low, double high, int steps, bool outside) {
  const double decades = std::log10(high / low);
  const bool fine = 3 * decades <= steps;
  const auto stride = std::max(1, static_cast<int>(std::ceil(decades / steps)));
  std::vector<ChartTick> ticks;
  const auto first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const auto last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  for (int power = first; power <= last; power += stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, power);
      if (factor == 1 || fine) ticks.push_back({value, plain_number(value)});
    }
  }
  const auto beyond = [&](const ChartTick& tick) {
    return tick.at < low * 0.9999 || tick.at > high * 1.0001;
  };
  if (!outside) {
    std::erase_if(ticks, beyond);
    return ticks;
  }
  // Keep only the nearest ticks outside of the limits.
  while (ticks.size() > 2 && ticks[1].at <= low * 1.0001) ticks.erase(ticks.begin());
  while (ticks.size() > 2 && ticks[ticks.size() - 2].at >= high * 0.9999) ticks.pop_back();
  return ticks;
}

}  // namespace

AxisScale::AxisScale(const ChartAxis& axis, const std::vector<double>& values, int steps)
    : log_(axis.log), ticks_(axis.ticks) {
  if (axis.range) {
    low_ = axis.range->first;
    high_ = axis.range->second;
  } else {
    find_ends(values);
  }
  if (!ticks_.empty()) return;
  const bool outside = !axis.range;
  ticks_ =
      log_ ? log_ticks(low_, high_, steps, outside) : linear_ticks(low_, high_, steps, outside);
  if (!outside) return;
  low_ = std::min(low_, ticks_.front().at);
  high_ = std::max(high_, ticks_.back().at);
}

bool AxisScale::can_show(double value) const {
  return std::isfinite(value) && (!log_ || value > 0);
}

double AxisScale::position(double value) const {
  return log_ ? std::log10(value) : value;
}

double AxisScale::share(double value) const {
  return (position(value) - position(low_)) / (position(high_) - position(low_));
}

bool AxisScale::contains(double value) const {
  return can_show(value) && share(value) > -1e-9 && share(value) < 1 + 1e-9;
}

double AxisScale::bounded_share(double value) const {
  return can_show(value) ? std::clamp(share(value), 0.0, 1.0) : 0;
}

void AxisScale::find_ends(const std::vector<double>& values) {
  low_ = std::numeric_limits<double>::infinity();
  high_ = -low_;
  const auto add = [this](double value) {
    if (!can_show(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  };
  for (const double value : values) add(value);
  for (const auto& tick : ticks_) add(tick.at);
  if (low_ > high_) {
    low_ = log_ ? 1 : 0;
    high_ = log_ ? 10 : 1;
  } else if (high_ - low_ < 1e-9 * std::max(std::abs(high_), log_ ? 0.0 : 1.0)) {
    const double room = high_ == 0 && !log_ ? 0.5 : 0.05 * std::abs(high_);
    low_ -= room;
    high_ += room;
  }
}

std::string plain_number(double value) {
  return (value < 0 ? "−" : "") + fmt::format("{:.6g}", std::abs(value));
}

}  // namespace projnce::report
