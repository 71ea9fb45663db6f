#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"
#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

struct ReproduceRequest {
  std::string what;                   ///< "table4", or an experiment file
  std::string scale = "laptop";       ///< one of scale_names()
  std::vector<std::string> datasets;  ///< replace those of the experiment; empty: its own
  std::vector<std::string> only;      ///< methods; empty: all
  int64_t seeds = 0;                  ///< 0: that of the scale
  int jobs = 0;                       ///< concurrent runs; 0: that of the scale
  std::filesystem::path out = "runs/paper";
  std::string command;            ///< command line to record
  std::filesystem::path program;  ///< path of projnce, which trains each cell in a process
};

/// What the program provides to a reproduction.
struct ReproduceEnvironment {
  Logger logger;
  std::function<bool()> stop_requested;
  dataset::OpenContext data;
};

struct ReproduceOutcome {
  bool finished = false;  ///< false: stopped on request; the same command resumes
  int64_t failed = 0;     ///< number of cells that could not be trained
  Result result;
  std::vector<std::filesystem::path> files;  ///< written files, Markdown first
};

/// Trains every cell without a finished run and writes the result next to the runs, as NAME.md,
/// .html, .csv and SVG charts. START READING HERE.
ReproduceOutcome reproduce(const ReproduceRequest& request,
                           const ReproduceEnvironment& environment);

/// Dry run: returns the cells, their status, and the estimated time, from a few training steps.
nlohmann::ordered_json plan_reproduction(const ReproduceRequest& request,
                                         const ReproduceEnvironment& environment);

}  // namespace projnce::reproduce
