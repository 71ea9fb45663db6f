#include "projnce/core/range_text.h"

#include <cmath>
#include <cstdint>

#include "projnce/core/error.h"

namespace projnce {

namespace {

/// 1000000 rather than 1e+06.
std::string shown(double limit) {
  constexpr double kLongestShown = 1e15;
  const bool whole = std::abs(limit) < kLongestShown && std::trunc(limit) == limit;
  return whole ? std::to_string(static_cast<int64_t>(limit)) : concat(limit);
}

}  // namespace

bool contains(const Range& range, double number) {
  const bool above_low = range.low_open ? number > range.low : number >= range.low;
  return above_low && (range.high_open ? number < range.high : number <= range.high);
}

std::string describe(const Range& range) {
  const bool has_low = std::isfinite(range.low);
  const bool has_high = std::isfinite(range.high);
  if (has_low && has_high) {
    const auto* joint = range.high_open  ? " and below "
                        : range.low_open ? " and at most "
                                         : " and ";
    return concat(range.low_open    ? "above "
                  : range.high_open ? "at least "
                                    : "between ",
                  shown(range.low), joint, shown(range.high));
  }
  if (has_low) return concat(range.low_open ? "above " : "at least ", shown(range.low));
  if (!has_high) return "any number";
  return concat(range.high_open ? "below " : "at most ", shown(range.high));
}

}  // namespace projnce
