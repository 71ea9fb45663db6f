#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "projnce/config/run_request.h"
#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"

namespace projnce::run {

struct TrainRequest {
  config::RunRequest run;
  std::filesystem::path out;  ///< empty: runs/DATASET-LOSS, or the first free name like it
  /// If true, resume the run in `out`, or start it if there is none. If both the run and settings
  /// in `run` are given, they must agree.
  bool resume = false;
  bool force = false;            ///< resume even if settings or data have changed
  bool strict = false;           ///< an unreadable sample is an error
  std::string max_corrupt = {};  ///< limit of unreadable samples, see CorruptLimit; empty: default
  bool live = false;             ///< update report.html during training
  std::string command;           ///< command line to record; may be empty
};

/// What the program provides to a training.
struct TrainEnvironment {
  Logger logger;
  std::function<bool()> stop_requested;  ///< polled after every step
  dataset::OpenContext data;  ///< dataset search paths; seed and threads are set by the run
};

struct TrainOutcome {
  bool writes = true;            ///< false on all ranks but 0, which only set `finished`
  std::filesystem::path run;     ///< its summary.json describes the result, if finished
  bool finished = false;         ///< false: stopped on request, checkpoint written
  std::filesystem::path report;  ///< path of report.html; empty if there is none
  int64_t lost_checkpoints = 0;  ///< number that could not be written
};

/// Runs a training end to end and writes the run directory. Collective if a launcher started
/// several ranks. START READING HERE.
TrainOutcome train(const TrainRequest& request, const TrainEnvironment& environment);

}  // namespace projnce::run
