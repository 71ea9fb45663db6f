#pragma once

#include "projnce/projection/projection.h"

namespace projnce::projection {

/// Rows over which the centroid of a class is the mean.
enum class CentroidRows {
  kAll,        ///< all rows of the class
  kNotAnchor,  ///< all but the anchor; only the centroid of the anchor's own class differs
  kNotRow,     ///< all but row k for the centroid of row k: one vector per row
};

/// Options of CentroidProjection.
struct CentroidOptions {
  CentroidRows rows = CentroidRows::kNotAnchor;  ///< rows of the mean
  /// If true, no gradient flows into the centroids.
  bool detach = false;
};

/// Class centroids: g(c) is the mean of the rows of class c.
///
/// A class of one row has no centroid without that row: with kNotAnchor and kNotRow, its anchor has
/// no positive vector (`has_positive` is false) and the row itself is used in its place. O(M D).
class CentroidProjection : public Projection {
 public:
  explicit CentroidProjection(const CentroidOptions& options = {}) : options_(options) {}
  Projected project(const CandidateRows& candidates) override;

 private:
  CentroidOptions options_;
};

/// The functional form.
Projected project_centroids(const CandidateRows& candidates, const CentroidOptions& options);

/// The centroid of each anchor's class, [N, D], with or without the anchor. Without it, the
/// centroid of a class of one row is zero.
torch::Tensor anchor_centroids(const CandidateRows& candidates, bool include_self);

}  // namespace projnce::projection
