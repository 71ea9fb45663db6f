#pragma once

#include <cstdint>

namespace projnce {

/// From `low` to `high`.
struct Interval {
  double low = 0;   ///< lower end
  double high = 0;  ///< upper end
};

/// 95 % bootstrap interval of a share, such as an accuracy. Resampling n samples of which a share
/// p is right gives Binomial(n, p) right ones: the percentiles of all resamples are those of that
/// distribution, so they are computed, not drawn. n >= 1.
Interval bootstrap_share(int64_t right, int64_t samples);

}  // namespace projnce
