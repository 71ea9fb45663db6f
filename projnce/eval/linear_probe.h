#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::eval {

/// A linear classifier of rows, each column brought to mean 0 and deviation 1 first.
struct LinearProbe {
  torch::Tensor mean;     // [D]
  torch::Tensor scale;    // [D]
  torch::Tensor weights;  // [C, D]
  torch::Tensor bias;     // [C]

  /// Logits of rows [N, D] -> [N, C].
  torch::Tensor scores(const torch::Tensor& rows) const;
};

/// Multinomial logistic regression: the mean cross entropy of rows [N, D] with labels [N] in
/// 0 .. num_classes - 1, plus penalty / 2N times the sum of squared weights; 1 is scikit-learn's
/// default. L-BFGS from zero to where a step gains no more than 1e-9 of the value; the problem is
/// convex, so nothing is random.
LinearProbe fit_linear_probe(const torch::Tensor& rows, const torch::Tensor& labels,
                             int64_t num_classes, double penalty = 1);

}  // namespace projnce::eval
