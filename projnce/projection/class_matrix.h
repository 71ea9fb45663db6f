#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

namespace projnce {

/// Rows `labels` of the matrix [C, D] of class vectors. A label outside 0..C-1 is an Error that
/// begins with `name`.
torch::Tensor select_class_vectors(const torch::Tensor& matrix, const torch::Tensor& labels,
                                   const std::string& name);

/// Throws an Error that begins with `name` if a label is outside 0..num_classes-1.
void check_labels(const torch::Tensor& labels, int64_t num_classes, const std::string& name);

}  // namespace projnce
