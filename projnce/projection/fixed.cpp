#include "projnce/projection/fixed.h"

#include "projnce/core/error.h"
#include "projnce/projection/class_groups.h"

namespace projnce::projection {

FixedProjection::FixedProjection(const FixedOptions& options) {
  const auto& vectors = options.vectors;
  if (!vectors.defined() || vectors.dim() != 2 || vectors.numel() == 0 ||
      !vectors.is_floating_point()) {
    fail("projection fixed: expected a matrix of numbers with a row for each class, got ",
         vectors.defined() ? concat(vectors.scalar_type(), " ", vectors.sizes()) : "nothing");
  }
  vectors_ = register_buffer("class_vectors", vectors.detach().clone());
}

Projected FixedProjection::project(const CandidateRows& candidates) {
  const auto width = candidates.rows.size(1);
  if (vectors_.size(1) != width) {
    fail("projection fixed: the class vectors have ", vectors_.size(1),
         " numbers each, the embeddings ", width);
  }
  return {.vectors = select_class_vectors(vectors_.to(candidates.rows.scalar_type()),
                                          candidates.groups, "projection fixed")};
}

}  // namespace projnce::projection
