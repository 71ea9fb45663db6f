#include "bench/compare/stopwatch.h"

#include <algorithm>
#include <limits>

namespace projnce::bench {

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const auto upper = values.size() / 2;
  const auto lower = (values.size() - 1) / 2;
  return (values[lower] + values[upper]) / 2;
}

}  // namespace projnce::bench
