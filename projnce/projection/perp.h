#pragma once

#include "projnce/projection/nadaraya_watson.h"
#include "projnce/projection/projection.h"

namespace projnce {

/// Source of the soft labels p(class | row).
enum class SoftSource {
  kGiven,           ///< part of the batch
  kNadarayaWatson,  ///< estimated from the batch
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
/// O(M K D) beside the estimate of q.
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

/// Means of the rows [M, D] weighted by the columns of q [M, C], [C, D]; zero if a column is.
torch::Tensor soft_means(const torch::Tensor& q, const torch::Tensor& rows);

}  // namespace projnce
