#pragma once

#include <torch/types.h>

namespace projnce::bench {

// Straightforward implementations of the losses: N x N similarity matrices and masks,
// differentiated by autograd. z is [N, D] with unit rows, labels are [N] in 0..C-1, and every class
// has at least two rows.

torch::Tensor plain_supcon(const torch::Tensor& z, const torch::Tensor& labels, double temperature);

/// Leave-one-out, beta = 1.
torch::Tensor plain_projnce(const torch::Tensor& z, const torch::Tensor& labels,
                            double temperature);

/// One vector per class, g [C, D], repeated for each row.
torch::Tensor plain_class_contrast(const torch::Tensor& z, const torch::Tensor& labels,
                                   const torch::Tensor& g, double temperature);

/// Returns [C, D], computed class by class.
torch::Tensor plain_medians(const torch::Tensor& z, const torch::Tensor& labels, int64_t classes);

/// Returns soft labels [N, C] of the Epanechnikov kernel over l1 distances.
torch::Tensor plain_nadaraya_watson(const torch::Tensor& z, const torch::Tensor& labels,
                                    int64_t classes, double bandwidth);

}  // namespace projnce::bench
