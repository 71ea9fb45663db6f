#pragma once

#include "projnce/projection/projection.h"

namespace projnce::projection {

/// Options of SampleProjection.
struct SampleOptions {
  /// If true, no gradient flows into the candidates.
  bool detach = false;
};

/// Each row represents its class: g_k = z_k, the g- of SupCon and ProjNCE. As g+, it compares each
/// anchor with itself, which is constant for unit rows.
class SampleProjection : public Projection {
 public:
  explicit SampleProjection(const SampleOptions& options = {}) : options_(options) {}
  Projected project(const CandidateRows& candidates) override {
    Projected projected;
    projected.vectors = options_.detach ? candidates.rows.detach() : candidates.rows;
    projected.per_row = true;
    projected.is_sample = true;
    return projected;
  }

 private:
  SampleOptions options_;
};

}  // namespace projnce::projection
