#pragma once

#include <torch/types.h>

#include "projnce/projection/class_groups.h"
#include "projnce/projection/projection.h"

namespace projnce::projection {

/// Definition of the median of several vectors.
enum class MedianKind {
  kLower,      ///< coordinate by coordinate, the lower of two middle values (as torch::median)
  kMean,       ///< coordinate by coordinate, the mean of two middle values (as numpy)
  kGeometric,  ///< the point with the smallest sum of distances; rotates with the embeddings
};

/// Options of MedianProjection.
struct MedianOptions {
  MedianKind median = MedianKind::kLower;  ///< definition
};

/// Class medians: g(c) is the median of the rows of class c, which a few wrong labels barely
/// change.
///
/// The gradient of a coordinate goes to the row that was selected for it (one half each for two
/// rows); rows with equal values are ordered by index. The median of a single row is that row. O(M
/// D) on the CPU, by selection; for kGeometric see geometric_medians().
class MedianProjection : public Projection {
 public:
  explicit MedianProjection(const MedianOptions& options = {}) : options_(options) {}
  Projected project(const CandidateRows& candidates) override;

 private:
  MedianOptions options_;
};

/// The functional form.
Projected project_medians(const CandidateRows& candidates, const MedianOptions& options);

/// For each class, the point g with the smallest sum_j |z_j - g|, [M, D] -> [K, D]. Computed in
/// double precision.
///
/// If a row is optimal, it is the result. For two rows the result is their midpoint, because every
/// point between them is optimal. Otherwise uses Weiszfeld's iteration from the mean, followed by
/// Newton's method with H = sum_j (I - u_j u_j^T) / r_j, r_j = |z_j - g|, u_j = (z_j - g) / r_j.
///
/// The gradient is implicit: H v = dL/dg, dL/dz_j = (v - (u_j.v) u_j) / r_j; if g is a row, the
/// gradient goes to that row. Requesting a second derivative throws. O(n D) for each Weiszfeld step
/// and for testing the rows near its result, O(n D^2 + D^3) for each Newton step; if neither finds
/// the optimum, O(n^2 D) time and O(n) memory to test all n rows.
torch::Tensor geometric_medians(const torch::Tensor& rows, const ClassGroups& groups);

/// Coordinate-wise medians of each class by sorting, [M, D] -> [K, D], with tensor operations only:
/// used by project_medians on devices other than the CPU, and as the reference in tests of its
/// kernel. Differentiable. O(M D log M).
/// REQUIRES: kind is kLower or kMean.
torch::Tensor sorted_medians(const torch::Tensor& rows, const ClassGroups& groups, MedianKind kind);

}  // namespace projnce::projection
