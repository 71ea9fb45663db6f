#pragma once

#include <torch/types.h>

#include "projnce/kernel/smoothing.h"
#include "projnce/projection/class_groups.h"
#include "projnce/projection/projection.h"

namespace projnce::projection {

/// When rows are neighbors, and how near: K(d(u, v) / bandwidth).
struct Neighborhood {
  kernel::SmoothingKernel kernel;  ///< K
  kernel::Metric metric;           ///< d
  double bandwidth;                ///< above 0
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

/// How distances are measured before the bandwidth divides them.
enum class DistanceScale {
  kNone,  ///< as they are, the paper's way
  kUnit,  ///< divided by the unit sphere's diameter (2 sqrt D, 2, 1): bandwidths compare
};

/// How soft labels are estimated.
struct NadarayaWatsonOptions {
  kernel::SmoothingKernel kernel = kernel::SmoothingKernel::kEpanechnikov;  ///< weight by distance
  kernel::Metric metric = kernel::Metric::kL1;  ///< what the distance is
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
/// support) have the subgradient 0. O(M^2 D) time, O(M (D + K)) memory.
torch::Tensor nadaraya_watson(const torch::Tensor& rows, const ClassGroups& groups,
                              const NadarayaWatsonOptions& options);

/// Throws unless the bandwidth is a finite number above 0.
void check_options(const NadarayaWatsonOptions& options);

/// Source of the soft labels p(class | row).
enum class SoftSource {
  kGiven,           ///< part of the batch
  kNadarayaWatson,  ///< estimated from the batch
  kHard,            ///< one-hot labels: class vectors are the class centroids
};

/// Options of PerpProjection.
struct PerpOptions {
  SoftSource soft_source = SoftSource::kNadarayaWatson;  ///< of p(class | row)
  NadarayaWatsonOptions nw = {};                         ///< of the estimate
  /// No gradient through estimated soft labels: it is kinked, scaled by 1/h, and mostly zero.
  bool detach_q = true;
};

/// The conditional-expectation projection: class vectors as means weighted by soft labels q.
///
///   g_c = sum_j q_jc z_j / sum_j q_jc
///
/// A class whose column of q sums to 0 keeps its plain centroid. One-hot q gives centroids.
/// O(M K D) beside the estimate of q; O(M D) for kHard.
class PerpProjection : public Projection {
 public:
  explicit PerpProjection(const PerpOptions& options);
  Projected project(const CandidateRows& candidates) override;

 private:
  PerpOptions options_;
};

/// The functional form.
Projected project_perp(const CandidateRows& candidates, const PerpOptions& options);

/// The soft labels that it uses, [M, K]: a column for each class present. Given ones must be a
/// matrix [M, C] without negative entries, and labels must lie in 0..C-1.
torch::Tensor soft_labels(const CandidateRows& candidates, const PerpOptions& options);

/// Given soft labels of all classes, [M, C], in the type of the rows; checked as above.
torch::Tensor given_soft_labels(const CandidateRows& candidates);

/// Means of the rows [M, D] weighted by the columns of q [M, C], [C, D]; zero if a column is.
torch::Tensor soft_means(const torch::Tensor& q, const torch::Tensor& rows);

}  // namespace projnce::projection
