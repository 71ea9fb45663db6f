#pragma once

#include <torch/types.h>

#include "projnce/kernel/smoothing.h"
#include "projnce/projection/class_groups.h"
#include "projnce/projection/projection.h"

namespace projnce::projection {

/// Kernel weight of a pair of rows: K(d(u, v) / bandwidth).
struct Neighborhood {
  kernel::SmoothingKernel kernel;  ///< K
  kernel::Metric metric;           ///< d
  double bandwidth;                ///< above 0
};

/// s_jc = sum of K(d(z_j, z_k) / h) over the rows k != j of class c, [M, D] -> [M, K].
///
/// Differentiable once: requesting a second derivative throws. The gradient is 0 at kinks (equal
/// coordinates, equal rows, the edge of the support). O(M^2 D) time. Float32 and float64 on the CPU
/// use the kernels, with O(M (D + K)) memory and sums in double precision; everything else uses
/// neighbor_sums_by_operators.
torch::Tensor neighbor_sums(const torch::Tensor& rows, const ClassGroups& groups,
                            const Neighborhood& neighborhood);

/// Same with LibTorch operations, on any device: compares a few hundred rows at a time, with O(M)
/// memory for each.
torch::Tensor neighbor_sums_by_operators(const torch::Tensor& rows, const ClassGroups& groups,
                                         const Neighborhood& neighborhood);

/// Scaling of distances before they are divided by the bandwidth.
enum class DistanceScale {
  kNone,  ///< not scaled, as in the paper
  kUnit,  ///< divided by the diameter of the unit sphere (2 sqrt D, 2, 1), so that bandwidths of
          ///< different metrics are comparable
};

/// Options of nadaraya_watson.
struct NadarayaWatsonOptions {
  kernel::SmoothingKernel kernel = kernel::SmoothingKernel::kEpanechnikov;  ///< K
  kernel::Metric metric = kernel::Metric::kL1;                              ///< d
  /// Distance beyond which rows are not neighbors; above 0. Unrelated unit rows in 128 dimensions
  /// have an l1 distance of 12.8: below 0.9, no row has a neighbor until late in training.
  double bandwidth = 0.5;
  DistanceScale distance_scale = DistanceScale::kNone;  ///< see DistanceScale
  /// If true, the estimate for a row excludes the row itself; a row without neighbors then keeps
  /// its hard label.
  bool exclude_self = false;
};

/// Kernel regression of the class on the embedding:
///
///   q_jc = sum_k kappa_jk 1[y_k = c] / sum_k kappa_jk,   kappa_jk = K(d(z_j, z_k) / h)
///
/// [M, D] -> [M, K]. Differentiable once; kinks (equal coordinates, equal rows, the edge of the
/// support) have gradient 0. O(M^2 D) time, O(M (D + K)) memory.
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
  /// If true, no gradient flows through estimated soft labels: it is discontinuous, scales with
  /// 1/h, and is mostly zero.
  bool detach_q = true;
};

/// The conditional-expectation projection: class vectors as means weighted by soft labels q.
///
///   g_c = sum_j q_jc z_j / sum_j q_jc
///
/// A class whose column of q sums to 0 uses its centroid. One-hot q gives centroids. O(M K D) plus
/// the estimate of q; O(M D) for kHard.
class PerpProjection : public Projection {
 public:
  explicit PerpProjection(const PerpOptions& options);
  Projected project(const CandidateRows& candidates) override;

 private:
  PerpOptions options_;
};

/// The functional form.
Projected project_perp(const CandidateRows& candidates, const PerpOptions& options);

/// The soft labels of `candidates`, [M, K], one column for each class present. Given soft labels
/// must be a matrix [M, C] without negative entries, with labels in 0..C-1.
torch::Tensor soft_labels(const CandidateRows& candidates, const PerpOptions& options);

/// Given soft labels of all classes, [M, C], converted to the type of the rows; same checks.
torch::Tensor given_soft_labels(const CandidateRows& candidates);

/// Means of the rows [M, D] weighted by the columns of q [M, C]: [C, D]. Zero for a zero column.
torch::Tensor soft_means(const torch::Tensor& q, const torch::Tensor& rows);

}  // namespace projnce::projection
