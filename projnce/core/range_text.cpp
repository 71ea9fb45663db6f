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
  return above_low && number <= range.high;
}

std::string describe(const Range& range) {
  const bool has_low = std::isfinite(range.low);
  const bool has_high = std::isfinite(range.high);
  if (has_low && has_high) {
    return concat(range.low_open ? "above " : "between ", shown(range.low),
                  range.low_open ? " and at most " : " and ", shown(range.high));
  }
  if (has_low) return concat(range.low_open ? "above " : "at least ", shown(range.low));
  return has_high ? concat("at most ", shown(range.high)) : "any number";
}

}  // namespace projnce
