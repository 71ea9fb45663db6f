#pragma once

#include <torch/types.h>

#include "projnce/kernel/smoothing.h"
#include "projnce/projection/class_groups.h"

namespace projnce {

/// How distances are measured before the bandwidth divides them.
enum class DistanceScale {
  kNone,  ///< as they are, the paper's way
  kUnit,  ///< divided by the unit sphere's diameter (2 sqrt D, 2, 1): bandwidths compare
};

/// How soft labels are estimated.
struct NadarayaWatsonOptions {
  SmoothingKernel kernel = SmoothingKernel::kEpanechnikov;  ///< weight by distance
  Metric metric = Metric::kL1;                              ///< what the distance is
  /// Distance at which rows stop being neighbors; above 0. Unit rows in 128 dimensions lie 12.8
  /// apart in l1: below 0.9 no row has a neighbor there until training is all but over.
  double bandwidth = 0.5;
  DistanceScale distance_scale = DistanceScale::kNone;  ///< see DistanceScale
  /// If true, a row is left out of its own estimate; one without neighbors then keeps its hard
  /// label.
  bool exclude_self = false;
};

/// Kernel regression of the class on the embedding:
///
///   q_jc = sum_k kappa_jk 1[y_k = c] / sum_k kappa_jk,   kappa_jk = K(d(z_j, z_k) / h)
///
/// [M, D] -> [M, K]. Differentiable once; kinks (equal coordinates, equal rows, the edge of the
/// support) have the subgradient 0. O(M^2 D) time, O(M (D + K)) memory (neighbor_sums.h).
torch::Tensor nadaraya_watson(const torch::Tensor& rows, const ClassGroups& groups,
                              const NadarayaWatsonOptions& options);

/// Throws unless the bandwidth is a finite number above 0.
void check_options(const NadarayaWatsonOptions& options);

}  // namespace projnce
