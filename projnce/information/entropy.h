#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

#include "projnce/information/mixed_ksg.h"

namespace projnce::information {

/// Entropy of the label histogram in nats, -sum_c n_c/N log(n_c/N): the upper bound of the
/// information about these labels. `labels` are [N] integers, N >= 1.
double label_entropy(const torch::Tensor& labels);

/// Number of rows of the smallest class in `labels` ([N] integers, N >= 1).
int64_t smallest_class_size(const torch::Tensor& labels);

/// Half the width of a 95 % interval around label_information(embeddings, labels); std::nullopt
/// with fewer than 20 k rows per class on average. Computed from the estimates for ten random,
/// disjoint subsets: the variance of an estimate decreases as 1/N (Holmes and Nemenman, 2019), so
/// that of all rows is a tenth of that of a subset. A bootstrap would duplicate rows, which looks
/// like information to a nearest-neighbor estimator.
std::optional<double> information_margin(const torch::Tensor& embeddings,
                                         const torch::Tensor& labels,
                                         const LabelInformationOptions& options = {},
                                         uint64_t seed = 0);

}  // namespace projnce::information
