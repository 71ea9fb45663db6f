#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"
#include "projnce/pipeline/run_config.h"

namespace projnce {

struct TrainRequest {
  RunRequest run;
  std::filesystem::path out;  ///< empty: runs/DATASET-LOSS, the first such name that is free
  bool resume = false;        ///< go on with the run in `out`; `run` must be empty
  bool strict = false;        ///< an unreadable sample is an error
};

/// What the program lends to a training.
struct TrainEnvironment {
  Logger logger;
  std::function<bool()> stop_requested;  ///< asked after every step
  OpenContext data;  ///< where datasets are looked for; seed and threads are the run's
};

struct TrainOutcome {
  std::filesystem::path run;
  bool finished = false;           ///< false: stopped on request, checkpoint written
  nlohmann::ordered_json summary;  ///< what summary.json holds; empty unless finished
};

/// Trains as asked and writes the run's directory. START READING HERE: a run from end to end.
TrainOutcome train(const TrainRequest& request, const TrainEnvironment& environment);

}  // namespace projnce
