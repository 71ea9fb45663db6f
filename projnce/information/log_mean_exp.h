#pragma once

#include <torch/types.h>

namespace projnce {

/// log mean_k e^{z_i.h_k / tau} over all `candidates` h [K, D], for each row z [N, D]: [N] float64.
/// Scores are computed in tiles and never stored. REQUIRES: float64 rows on the CPU, K >= 1.
torch::Tensor log_mean_exp(const torch::Tensor& rows, const torch::Tensor& candidates,
                           double temperature);

/// The same over the rows of other instances: `instances` [N] int64 are ids, masked pairs never
/// enter a sum. -infinity for a row without any.
torch::Tensor log_mean_exp_of_others(const torch::Tensor& rows, const torch::Tensor& instances,
                                     double temperature);

}  // namespace projnce
