#pragma once

#include <torch/types.h>

namespace projnce {

/// What every process knows of the whole batch; means and variances are [C].
struct SharedStatistics {
  torch::Tensor count;     ///< scalar: values of each channel
  torch::Tensor mean;      ///< of all of them
  torch::Tensor variance;  ///< biased
};

/// Joins the processes' moments, [W, 3, C] (how many values, their mean, the sum of their squared
/// deviations from it), without subtracting large numbers from each other (Chan et al.).
SharedStatistics join_moments(const torch::Tensor& all);

}  // namespace projnce
