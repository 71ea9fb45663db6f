#pragma once

#include <torch/types.h>

#include "projnce/kernel/smoothing.h"
#include "projnce/projection/class_groups.h"

namespace projnce {

/// When rows are neighbors, and how near: K(d(u, v) / bandwidth).
struct Neighborhood {
  SmoothingKernel kernel;
  Metric metric;
  double bandwidth;
};

/// s_jc = sum of K(d(z_j, z_k) / h) over the rows k != j of class c, [M, D] -> [M, K].
///
/// Differentiable once: asking for a second derivative throws. Kinks (equal coordinates, equal
/// rows, the edge of the support) have the subgradient 0. O(M^2 D) time.
/// On the CPU float32 and float64 go through the kernels: O(M (D + K)) memory, and the sums come in
/// double precision. Everything else takes the way below.
torch::Tensor neighbor_sums(const torch::Tensor& rows, const ClassGroups& groups,
                            const Neighborhood& neighborhood);

/// The same by LibTorch's operators, on any device: O(M) memory for each of some hundred rows that
/// are compared at a time.
torch::Tensor neighbor_sums_by_operators(const torch::Tensor& rows, const ClassGroups& groups,
                                         const Neighborhood& neighborhood);

}  // namespace projnce
