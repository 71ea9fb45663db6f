#include "projnce/eval/interval.h"

#include <cmath>

namespace projnce {

namespace {

/// log of the probability of `right` out of n when each has the chance p, 0 < p < 1.
double log_binomial(double n, double right, double p) {
  return std::lgamma(n + 1) - std::lgamma(right + 1) - std::lgamma(n - right + 1) +
         right * std::log(p) + (n - right) * std::log1p(-p);
}

}  // namespace

Interval bootstrap_share(int64_t right, int64_t samples) {
  constexpr double kTail = 0.025;
  const auto n = static_cast<double>(samples);
  const double p = static_cast<double>(right) / n;
  if (right == 0 || right == samples) return {p, p};
  Interval interval;
  double below = 0;  // probability of at most `count` right
  bool low_found = false;
  for (int64_t count = 0; count <= samples; ++count) {
    below += std::exp(log_binomial(n, static_cast<double>(count), p));
    if (!low_found && below >= kTail) {
      interval.low = static_cast<double>(count) / n;
      low_found = true;
    }
    if (below >= 1 - kTail) {
      interval.high = static_cast<double>(count) / n;
      break;
    }
  }
  return interval;
}

}  // namespace projnce
