#pragma once

#include "projnce/projection/projection.h"

namespace projnce::projection {

/// Options of FixedProjection.
struct FixedOptions {
  /// [C, D], floating point: row c is the vector of class c. Taken as it is, never trained.
  torch::Tensor vectors = {};
};

/// Class vectors from elsewhere: label embeddings of a language model, prototypes, a simplex. They
/// are a buffer of the module, so they move and are saved with it. A label outside 0..C-1 is an
/// Error.
class FixedProjection : public Projection {
 public:
  explicit FixedProjection(const FixedOptions& options);
  Projected project(const CandidateRows& candidates) override;

 private:
  torch::Tensor vectors_;
};

}  // namespace projnce::projection
