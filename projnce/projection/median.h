#pragma once

#include "projnce/projection/projection.h"

namespace projnce {

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
/// median. O(M D) on the CPU, by selection; for geometric see geometric_median.h.
class MedianProjection : public Projection {
 public:
  explicit MedianProjection(const MedianOptions& options = {}) : options_(options) {}
  Projected project(const CandidateRows& candidates) override;

 private:
  MedianOptions options_;
};

/// The functional form.
Projected project_medians(const CandidateRows& candidates, const MedianOptions& options);

}  // namespace projnce
