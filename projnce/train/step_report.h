#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "projnce/loader/batch.h"

namespace projnce::train {

struct StepReport {
  int64_t epoch;  ///< the epoch that the step belongs to, from 0
  int64_t batch;
  int64_t step;
  double learning_rate;
  double gradient_norm;
  std::map<std::string, double> values;  ///< "loss" and its parts, for the batch of all ranks
  bool spike = false;                    ///< the loss is far above those of the previous steps
};

/// A skipped step with a non-finite loss or gradient. The weights are unchanged.
struct NonfiniteStep {
  const StepReport& report;
  /// This rank's part of the batch. If the model is not on the CPU, the images are undefined.
  const loader::Batch& batch;
  bool stops;  ///< if true, the limit is exceeded and training stops
};

struct EpochReport {
  int64_t epoch;  ///< the epoch just completed, from 0
  int64_t step;
  double learning_rate;
  std::map<std::string, double> means;  ///< "loss" and its parts, averaged over the epoch
};

}  // namespace projnce::train
