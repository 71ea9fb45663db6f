#pragma once

#include "projnce/projection/projection.h"

namespace projnce::projection {

/// Options of FixedProjection.
struct FixedOptions {
  /// [C, D], floating point: row c is the vector of class c. Not normalized, never trained.
  torch::Tensor vectors = {};
};

/// Given class vectors, such as label embeddings of a language model, prototypes or a simplex. They
/// are a buffer of the module, so they are moved and saved with it. Throws an Error if a label is
/// outside 0..C-1.
class FixedProjection : public Projection {
 public:
  explicit FixedProjection(const FixedOptions& options);
  Projected project(const CandidateRows& candidates) override;

 private:
  torch::Tensor vectors_;
};

}  // namespace projnce::projection
