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

/// Class medians: g(c) is the median of the rows of class c, which a few wrong labels barely move.
///
/// The gradient of a coordinate goes to the row that was selected for it (halves for two rows);
/// rows with equal values are ordered by their index. A class of one row has that row as its
/// median. O(M D) on the CPU, by selection; for geometric see geometric_medians().
class MedianProjection : public Projection {
 public:
  explicit MedianProjection(const MedianOptions& options = {}) : options_(options) {}
  Projected project(const CandidateRows& candidates) override;

 private:
  MedianOptions options_;
};

/// The functional form.
Projected project_medians(const CandidateRows& candidates, const MedianOptions& options);

/// For each class the point g with the smallest sum_j |z_j - g|, [M, D] -> [K, D], in double
/// precision inside.
///
/// A row that is optimal itself is the answer. Two rows: their midpoint, since every point between
/// is optimal. Otherwise Weiszfeld's iteration from the mean, finished by Newton's with
/// H = sum_j (I - u_j u_j^T) / r_j, r_j = |z_j - g|, u_j = (z_j - g) / r_j.
///
/// The gradient is implicit: H v = dL/dg, dL/dz_j = (v - (u_j.v) u_j) / r_j; where g is a row it
/// goes to that row alone. There is no second derivative: asking for one throws. O(n D) for each
/// step of Weiszfeld and for the test of the rows around its end, O(n D^2 + D^3) for each step of
/// Newton; only where neither gives the answer, O(n^2 D) time and O(n) memory to test all n rows.
torch::Tensor geometric_medians(const torch::Tensor& rows, const ClassGroups& groups);

/// Coordinate medians of each class by sorting, [M, D] -> [K, D], with tensor operations alone:
/// what project_medians does on other devices than the CPU, and what its kernel is tested against.
/// Differentiable. O(M D log M).
/// REQUIRES: kind is kLower or kMean.
torch::Tensor sorted_medians(const torch::Tensor& rows, const ClassGroups& groups, MedianKind kind);

}  // namespace projnce::projection
