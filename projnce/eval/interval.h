#pragma once

#include <cstdint>

namespace projnce {

/// From `low` to `high`.
struct Interval {
  double low = 0;   ///< lower end
  double high = 0;  ///< upper end
};

/// Exact 95 % confidence interval of a binomial proportion, such as an accuracy (Clopper and
/// Pearson, 1934): the proportions p for which neither P(X <= successes) nor P(X >= successes) of
/// X ~ Binomial(trials, p) is below 2.5 %. Its coverage is at least 95 % for any number of trials;
/// 6 of 6 is 0.541 to 1. No trials: 0 to 1. Requires 0 <= successes <= trials.
Interval clopper_pearson_interval(int64_t successes, int64_t trials);

}  // namespace projnce
