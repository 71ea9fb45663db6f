#pragma once

#include "projnce/projection/projection.h"

namespace projnce::projection {

/// Which rows make the centroid of a class.
enum class CentroidRows {
  kAll,        ///< all of them
  kNotAnchor,  ///< all but the anchor it is compared with; differs for the anchor's class only
  kNotRow,     ///< all but row k in the centroid of row k: a vector for every row
};

/// Options of CentroidProjection.
struct CentroidOptions {
  CentroidRows rows = CentroidRows::kNotAnchor;  ///< that the mean is over
  /// No gradient into the centroid.
  bool detach = false;
};

/// Class centroids: g(c) is the mean of the rows of class c.
///
/// A class of one row has no centroid without that row: under kNotAnchor its anchor has no
/// positive vector (`has_positive` is false) and the row itself replaces it, under kNotRow
/// likewise. O(M D).
class CentroidProjection : public Projection {
 public:
  explicit CentroidProjection(const CentroidOptions& options = {}) : options_(options) {}
  Projected project(const CandidateRows& candidates) override;

 private:
  CentroidOptions options_;
};

/// The functional form.
Projected project_centroids(const CandidateRows& candidates, const CentroidOptions& options);

/// The centroid of each anchor's own class, [N, D], with the anchor itself or without it; for a
/// class of one row without it, zero.
torch::Tensor anchor_centroids(const CandidateRows& candidates, bool include_self);

}  // namespace projnce::projection
