#pragma once

#include <torch/types.h>

namespace projnce::bench {

// The losses as they are usually written: N x N matrices of similarities and masks, differentiated
// by autograd. z is [N, D] of unit rows, labels [N] from 0 to C-1, every class with two rows.

torch::Tensor plain_supcon(const torch::Tensor& z, const torch::Tensor& labels, double temperature);

/// Leave-one-out, beta 1.
torch::Tensor plain_projnce(const torch::Tensor& z, const torch::Tensor& labels,
                            double temperature);

/// One vector for each class, g [C, D], repeated for each row.
torch::Tensor plain_class_contrast(const torch::Tensor& z, const torch::Tensor& labels,
                                   const torch::Tensor& g, double temperature);

/// [C, D], class by class.
torch::Tensor plain_medians(const torch::Tensor& z, const torch::Tensor& labels, int64_t classes);

/// Soft labels [N, C] of the Epanechnikov kernel over l1 distances.
torch::Tensor plain_nadaraya_watson(const torch::Tensor& z, const torch::Tensor& labels,
                                    int64_t classes, double bandwidth);

}  // namespace projnce::bench
