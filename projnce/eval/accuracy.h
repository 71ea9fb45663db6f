#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace projnce {

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

}  // namespace projnce
