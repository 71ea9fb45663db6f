#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "projnce/config/run_request.h"
#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"

namespace projnce::run {

struct TrainRequest {
  config::RunRequest run;
  std::filesystem::path out;  ///< empty: runs/DATASET-LOSS, the first such name that is free
  /// Go on with the run in `out`. Where there is none yet, `run` says what to start; where there
  /// is, it must say the same as the run's own settings.
  bool resume = false;
  bool force = false;            ///< resume although settings or data changed
  bool strict = false;           ///< an unreadable sample is an error
  std::string max_corrupt = {};  ///< how many may be unreadable, see CorruptLimit; empty: default
  bool live = false;             ///< keep report.html fresh while training
  std::string command;           ///< what was typed, for the record; may be empty
};

/// What the program lends to a training.
struct TrainEnvironment {
  Logger logger;
  std::function<bool()> stop_requested;  ///< asked after every step
  dataset::OpenContext data;  ///< where datasets are looked for; seed and threads are the run's
};

struct TrainOutcome {
  bool writes = true;  ///< false on ranks other than the first, whose outcome says nothing more
  std::filesystem::path run;
  bool finished = false;           ///< false: stopped on request, checkpoint written
  nlohmann::ordered_json summary;  ///< what summary.json holds; empty unless finished
  std::filesystem::path report;    ///< report.html; empty where there is none
  int64_t lost_checkpoints = 0;    ///< that could not be written
};

/// Trains as asked and writes the run's directory, together with the other ranks where a launcher
/// started several. START READING HERE: a run from end to end.
TrainOutcome train(const TrainRequest& request, const TrainEnvironment& environment);

}  // namespace projnce::run
