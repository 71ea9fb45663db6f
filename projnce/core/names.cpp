#include "projnce/core/names.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "projnce/core/error.h"

namespace projnce {

namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// Returns the only known name that starts with `name`; "" if `name` is short, or if there is none
/// or more than one.
std::string completion(std::string_view name, const std::vector<std::string>& known) {
  constexpr size_t kMinLength = 3;
  std::string found;
  if (name.size() < kMinLength) return found;
  for (const auto& candidate : known) {
    if (!candidate.starts_with(name)) continue;
    if (!found.empty()) return {};
    found = candidate;
  }
  return found;
}

}  // namespace

std::string join(const std::vector<std::string>& names, std::string_view separator) {
  std::string joined;
  for (const auto& name : names) {
    if (!joined.empty()) joined += separator;
    joined += name;
  }
  return joined;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  std::string nearest;
  // A more distant suggestion would confuse rather than help.
  size_t best = std::max<size_t>(2, name.size() / 2) + 1;
  for (const auto& candidate : known) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? completion(name, known) : nearest;
}

void fail_unknown(std::string_view kind, std::string_view name,
                  const std::vector<std::string>& known) {
  const auto nearest = nearest_name(name, known);
  const auto guess = nearest.empty() ? "" : concat("did you mean '", nearest, "'? ");
  fail(Hint{concat(guess, "known: ", join(known))}, "unknown ", kind, " '", name, "'");
}

namespace {

/// Formats integers without exponent: 1000000, not 1e+06.
std::string format_limit(double limit) {
  constexpr double kMaxInteger = 1e15;
  const bool whole = std::abs(limit) < kMaxInteger && std::trunc(limit) == limit;
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
                  format_limit(range.low), joint, format_limit(range.high));
  }
  if (has_low) return concat(range.low_open ? "above " : "at least ", format_limit(range.low));
  if (!has_high) return "any number";
  return concat(range.high_open ? "below " : "at most ", format_limit(range.high));
}

}  // namespace projnce
