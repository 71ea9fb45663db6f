#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce {

/// Entropy of the label histogram in nats, -sum_c n_c/N log(n_c/N): what embeddings can at most
/// know about these labels. `labels` are [N] integers, N >= 1.
double label_entropy(const torch::Tensor& labels);

/// Rows of the smallest class that occurs in `labels` ([N] integers, N >= 1).
int64_t smallest_class_size(const torch::Tensor& labels);

}  // namespace projnce
