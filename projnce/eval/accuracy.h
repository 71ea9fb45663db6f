#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace projnce::eval {

/// Accuracy of a class with fewer test samples says little: its 95 % interval is wider than 25
/// points. Reports mark such classes.
inline constexpr int64_t kFewTestSamples = 10;

/// How well class scores agree with the labels.
struct Accuracy {
  int64_t samples = 0;  ///< that were looked at
  double top1 = 0;  ///< share of samples whose best class is the label; ties go to the lower class
  double top5 = 0;  ///< label among the five best classes
  std::vector<double> per_class;                ///< top1 of each class; NaN where it has no sample
  std::vector<std::vector<int64_t>> confusion;  ///< [label][predicted] counts

  /// Test samples of a class.
  int64_t class_samples(size_t label) const;
};

/// `scores`: [N, C]; `labels`: [N], int64.
Accuracy measure_accuracy(const torch::Tensor& scores, const torch::Tensor& labels);

/// Best class of each row; ties go to the lower class. [N, C] -> [N]
torch::Tensor predict_class(const torch::Tensor& scores);

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

}  // namespace projnce::eval
