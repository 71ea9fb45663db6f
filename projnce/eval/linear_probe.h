#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::eval {

/// Linear classifier on standardized features.
struct LinearProbe {
  torch::Tensor mean;     // [D]
  torch::Tensor scale;    // [D]
  torch::Tensor weights;  // [C, D]
  torch::Tensor bias;     // [C]

  /// Logits of rows [N, D] -> [N, C].
  torch::Tensor scores(const torch::Tensor& rows) const;
};

/// Fits multinomial logistic regression: minimizes the mean cross entropy of rows [N, D] with
/// labels [N] in 0 .. num_classes - 1, plus penalty / 2N times the sum of squared weights (a
/// penalty of 1 is scikit-learn's default C). Uses L-BFGS from zero with a relative tolerance of
/// 1e-9; the problem is convex and the result deterministic.
LinearProbe fit_linear_probe(const torch::Tensor& rows, const torch::Tensor& labels,
                             int64_t num_classes, double penalty = 1);

}  // namespace projnce::eval
