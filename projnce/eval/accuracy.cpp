#include "projnce/eval/accuracy.h"

#include <torch/types.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "projnce/core/error.h"

namespace projnce::eval {

int64_t Accuracy::class_samples(size_t label) const {
  const auto& row = confusion[label];
  return std::accumulate(row.begin(), row.end(), int64_t{0});
}

torch::Tensor predict_class(const torch::Tensor& scores) {
  // argmax does not guarantee which of several equal maxima it returns; take the first.
  const auto best = scores == std::get<0>(scores.max(/*dim=*/1, /*keepdim=*/true));
  return best.to(torch::kInt).argmax(/*dim=*/1);
}

Accuracy measure_accuracy(const torch::Tensor& scores, const torch::Tensor& labels) {
  const int64_t samples = scores.size(0);
  const int64_t classes = scores.size(1);
  Accuracy result{.samples = samples,
                  .per_class = std::vector<double>(classes, std::nan("")),
                  .confusion = std::vector(classes, std::vector<int64_t>(classes, 0))};
  if (samples == 0) return result;

  const auto predicted = predict_class(scores).contiguous();
  const auto given = labels.contiguous();
  const auto* p = predicted.data_ptr<int64_t>();
  const auto* y = given.data_ptr<int64_t>();
  for (int64_t i = 0; i < samples; ++i) ++result.confusion[y[i]][p[i]];

  int64_t hits = 0;
  for (int64_t c = 0; c < classes; ++c) {
    const int64_t total = result.class_samples(c);
    hits += result.confusion[c][c];
    if (total > 0) result.per_class[c] = double(result.confusion[c][c]) / double(total);
  }
  result.top1 = double(hits) / double(samples);

  // Top 5: fewer than five classes score higher than the label.
  const auto own = scores.gather(1, labels.unsqueeze(1));  // [N, 1]
  result.top5 = (scores > own).sum(1).lt(5).to(torch::kDouble).mean().item<double>();
  return result;
}

namespace {

constexpr double kTail = 0.025;

/// Continued fraction of the incomplete beta function, by Lentz's method. Converges in about
/// sqrt(max(a, b)) terms for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr int kMostTerms = 100000;
  constexpr double kTiny = std::numeric_limits<double>::min();
  const auto nonzero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / nonzero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int term = 1; term <= kMostTerms; ++term) {
    const double m = term;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (const double coefficient : {even, odd}) {
      d = 1 / nonzero(1 + coefficient * d);
      c = nonzero(1 + coefficient / c);
      change = c * d;
      result *= change;
    }
    if (std::abs(change - 1) < 1e-15) break;
  }
  return result;
}

/// Regularized incomplete beta function I_x(a, b), 0 < x < 1.
double incomplete_beta(double a, double b, double x) {
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/// Returns x with I_x(a, b) = probability, by bisection.
double beta_quantile(double a, double b, double probability) {
  double low = 0;
  double high = 1;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (incomplete_beta(a, b, middle) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Interval clopper_pearson_interval(int64_t successes, int64_t trials) {
  if (successes < 0 || successes > trials) {
    fail("confidence interval: ", successes, " successes of ", trials,
         " trials, expected 0 to the number of trials");
  }
  const auto k = static_cast<double>(successes);
  const auto n = static_cast<double>(trials);
  return {.low = successes == 0 ? 0 : beta_quantile(k, n - k + 1, kTail),
          .high = successes == trials ? 1 : beta_quantile(k + 1, n - k, 1 - kTail)};
}

}  // namespace projnce::eval
