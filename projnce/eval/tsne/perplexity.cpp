#include "projnce/eval/tsne/perplexity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace projnce {

namespace {

constexpr double kEntropyTolerance = 1e-7;
constexpr int kMostPerplexitySteps = 200;  // of which Newton's method takes about five

struct RowEntropy {
  double value;
  double slope;  // by the precision
};

/// Entropy of weights e^{-precision (d - nearest)}, which it writes, not yet divided by `sum`.
RowEntropy weigh(const double* distances, int64_t count, double nearest, double precision,
                 double* weights, double& sum) {
  sum = 0;
  double first = 0, second = 0;
  for (int64_t k = 0; k < count; ++k) {
    const double d = distances[k] - nearest;
    const double w = std::exp(-precision * d);
    weights[k] = w;
    sum += w;
    first += w * d;
    second += w * d * d;
  }
  const double mean = first / sum;
  return {std::log(sum) + precision * mean, -precision * (second / sum - mean * mean)};
}

}  // namespace

void fit_perplexity(const double* squared_distances, int64_t count, double perplexity,
                    double* weights) {
  const auto [nearest, farthest] =
      std::minmax_element(squared_distances, squared_distances + count);
  const double wanted = std::log(perplexity);
  const double range = *farthest - *nearest;
  double precision = range > 0 ? 2 / range : 0;
  double low = 0, high = std::numeric_limits<double>::infinity();
  double sum = 1;
  for (int step = 0; step < kMostPerplexitySteps; ++step) {
    const auto entropy = weigh(squared_distances, count, *nearest, precision, weights, sum);
    const double excess = entropy.value - wanted;
    if (std::abs(excess) < kEntropyTolerance || precision * range > 1e15 || range <= 0) break;
    (excess > 0 ? low : high) = precision;
    const double newton = precision - excess / entropy.slope;
    const double middle = std::isinf(high) ? 2 * low : (low + high) / 2;
    // Newton's steps are short where the curve is flat: far beyond twice as much is for the middle.
    precision = newton > low && newton < std::min(high, 4 * precision) ? newton : middle;
  }
  for (int64_t k = 0; k < count; ++k) weights[k] /= sum;
}

}  // namespace projnce
