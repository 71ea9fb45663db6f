#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce {

struct ProbeOptions {
  /// Weight of half the squared weights, over the number of samples. 1 is scikit-learn's default.
  double penalty = 1;
  int64_t max_iterations = 500;
};

/// A linear classifier of rows, each column brought to mean 0 and deviation 1 first.
struct LinearProbe {
  torch::Tensor mean;       // [D]
  torch::Tensor scale;      // [D]
  torch::Tensor weights;    // [C, D]
  torch::Tensor bias;       // [C]
  int64_t evaluations = 0;  ///< of the objective and its gradient
  bool converged = false;   ///< the gradient vanished before the iterations ran out

  /// Logits of rows [N, D] -> [N, C].
  torch::Tensor scores(const torch::Tensor& rows) const;
};

/// Multinomial logistic regression to convergence with L-BFGS, from zero: rows [N, D], labels [N]
/// in 0 .. num_classes - 1. The problem is convex, so nothing is random.
LinearProbe fit_linear_probe(const torch::Tensor& rows, const torch::Tensor& labels,
                             int64_t num_classes, const ProbeOptions& options = {});

}  // namespace projnce
