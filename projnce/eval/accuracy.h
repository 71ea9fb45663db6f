#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace projnce::eval {

/// Classes with fewer test samples are marked in reports: the 95 % confidence interval of their
/// accuracy is wider than 25 points.
inline constexpr int64_t kFewTestSamples = 10;

/// Classification accuracy.
struct Accuracy {
  int64_t samples = 0;            ///< number of samples
  double top1 = 0;                ///< top-1 accuracy; ties go to the lower class
  double top5 = 0;                ///< top-5 accuracy
  std::vector<double> per_class;  ///< top-1 per class; NaN for a class without samples
  std::vector<std::vector<int64_t>> confusion;  ///< [label][predicted] counts

  /// Returns the number of test samples of a class.
  int64_t class_samples(size_t label) const;
};

/// Computes the accuracy of `scores` [N, C] for `labels` [N], int64.
Accuracy measure_accuracy(const torch::Tensor& scores, const torch::Tensor& labels);

/// Returns the class with the highest score in each row; ties go to the lower class. [N, C] -> [N]
torch::Tensor predict_class(const torch::Tensor& scores);

/// Closed interval.
struct Interval {
  double low = 0;   ///< lower end
  double high = 0;  ///< upper end
};

/// Exact 95 % confidence interval of a binomial proportion, such as an accuracy (Clopper and
/// Pearson, 1934): the proportions p for which neither P(X <= successes) nor P(X >= successes) of
/// X ~ Binomial(trials, p) is below 2.5 %. Its coverage is at least 95 % for any number of trials;
/// 6 of 6 is 0.541 to 1. No trials: 0 to 1. Requires 0 <= successes <= trials.
Interval clopper_pearson_interval(int64_t successes, int64_t trials);

}  // namespace projnce::eval
