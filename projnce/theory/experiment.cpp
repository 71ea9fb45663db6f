#include "projnce/theory/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace projnce {

namespace {

constexpr double kStandardErrors = 4;
constexpr double kMargin = 0.001;  // nats

}  // namespace

Estimate estimate_from(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

std::string to_text(const Estimate& estimate, int digits) {
  if (estimate.se == 0) return fmt::format("{:.{}f}", estimate.mean, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", estimate.mean, digits, estimate.se, digits);
}

void Claims::at_most(const std::string& what, const Estimate& value, double limit) {
  add(fmt::format("{}: {} <= {:.4f}", what, to_text(value, 4), limit),
      value.mean <= limit + kStandardErrors * value.se + kMargin);
}

void Claims::at_least(const std::string& what, const Estimate& value, double limit) {
  add(fmt::format("{}: {} >= {:.4f}", what, to_text(value, 4), limit),
      value.mean >= limit - kStandardErrors * value.se - kMargin);
}

void Claims::agrees(const std::string& what, const Estimate& value, const Estimate& reference,
                    double rounding) {
  const double allowed = kStandardErrors * std::hypot(value.se, reference.se) + rounding;
  add(fmt::format("{}: {} agrees with {}", what, to_text(value, 4), to_text(reference, 4)),
      std::abs(value.mean - reference.mean) <= allowed);
}

void Claims::equals(const std::string& what, double value, double expected, double tolerance) {
  add(fmt::format("{}: {:.9g} is {:.9g} within {:.1g}", what, value, expected, tolerance),
      std::abs(value - expected) <= tolerance);
}

int64_t TheoryResult::violated() const {
  return std::count_if(claims.begin(), claims.end(),
                       [](const Claim& claim) { return claim.must_hold && !claim.holds; });
}

}  // namespace projnce
