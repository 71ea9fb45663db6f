#pragma once

#include <torch/types.h>

namespace projnce {

/// Ratios r_i(c) of each row, from which mi_bounds.h makes its terms. Both [N] float64.
struct RatioTerms {
  torch::Tensor log_ratio;       ///< log r_i(c_i)
  torch::Tensor log_mean_ratio;  ///< log sum_c pi_c r_i(c)
};

// REQUIRES, of all: float64 tensors on the CPU, labels in 0..M-1, priors [M] that sum to 1.

/// Pair form; the formula is at pair_bound(). `instances` [N] int64.
RatioTerms pair_ratio_terms(const torch::Tensor& rows, const torch::Tensor& labels,
                            const torch::Tensor& instances, const torch::Tensor& priors,
                            double temperature);

/// General form, given log_a_i = log mean_k e^{z_i.h_k / tau}, [N]; -infinity: every ratio is 1.
/// The ratio of a class whose vector is NaN is 1.
RatioTerms general_ratio_terms(const torch::Tensor& rows, const torch::Tensor& labels,
                               const torch::Tensor& class_vectors, const torch::Tensor& log_a,
                               const torch::Tensor& priors, double temperature);

/// Class form; the formula is at class_bound(). Ratios are normalized, so log_mean_ratio is 0.
RatioTerms class_ratio_terms(const torch::Tensor& rows, const torch::Tensor& labels,
                             const torch::Tensor& class_vectors, const torch::Tensor& priors,
                             double temperature);

}  // namespace projnce
