#pragma once

#include <cstdint>

#include "projnce/core/table.h"

namespace projnce {

/// How a run is judged, after every epoch and at its end.
struct EvalOptions {
  int64_t every = 1;             ///< epochs between evaluations; the last epoch always has one
  int64_t centroid_samples = 0;  ///< training samples that class centroids are made of; 0: all
  int64_t batch_size = 512;
};

EvalOptions read_eval_options(Table& table);

}  // namespace projnce
