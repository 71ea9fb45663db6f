#pragma once

#include <torch/types.h>

#include "projnce/projection/class_groups.h"
#include "projnce/projection/median.h"

namespace projnce {

/// Coordinate medians of each class by sorting, [M, D] -> [K, D], with tensor operations alone:
/// what project_medians does on other devices than the CPU, and what its kernel is tested against.
/// Differentiable. O(M D log M).
/// REQUIRES: kind is kLower or kMean.
torch::Tensor sorted_medians(const torch::Tensor& rows, const ClassGroups& groups, MedianKind kind);

}  // namespace projnce
