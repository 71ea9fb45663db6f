#pragma once

#include <cstdint>

#include <string>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/eval/knn.h"

namespace projnce {

/// How a run is judged, after every epoch and at its end.
struct EvalOptions {
  int64_t every = 1;             ///< epochs between evaluations; the last epoch always has one
  int64_t centroid_samples = 0;  ///< training samples that class centroids are made of; 0: all
  int64_t batch_size = 512;
  /// After epochs; the first is what "best" and "last" go by. See choose_protocols.
  std::vector<std::string> protocols = {"auto"};
  std::vector<std::string> final_protocols = {"all"};  ///< at the end of the training
  KnnOptions knn = {.neighbors = 0};                   ///< 0: 20, or all where there are fewer
};

EvalOptions read_eval_options(Table& table);

}  // namespace projnce
