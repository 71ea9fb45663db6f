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
  std::string what;                   ///< "table4", or a file of that form
  std::string scale = "laptop";       ///< one of scale_names()
  std::vector<std::string> datasets;  ///< in place of the experiment's; none: its own
  std::vector<std::string> only;      ///< methods; none: all
  int64_t seeds = 0;                  ///< 0: the scale's
  int jobs = 0;                       ///< runs at once; 0: the scale's
  std::filesystem::path out = "runs/paper";
  std::string command;            ///< what was typed, for the record
  std::filesystem::path program;  ///< projnce itself, which trains each cell in a process
};

/// What the program lends to a reproduction.
struct ReproduceEnvironment {
  Logger logger;
  std::function<bool()> stop_requested;
  dataset::OpenContext data;
};

struct ReproduceOutcome {
  bool finished = false;  ///< false: stopped on request; the same command goes on
  int64_t failed = 0;     ///< cells that could not be trained
  Result result;
  std::vector<std::filesystem::path> files;  ///< that tell the result: Markdown first
};

/// Trains every cell that has no finished run yet and writes the result beside the runs, as
/// NAME.md, .html, .csv and charts as SVG. START READING HERE.
ReproduceOutcome reproduce(const ReproduceRequest& request,
                           const ReproduceEnvironment& environment);

/// What that would do: the cells, which are finished, and how long the others would take. Trains
/// a few steps to know it.
nlohmann::ordered_json plan_reproduction(const ReproduceRequest& request,
                                         const ReproduceEnvironment& environment);

}  // namespace projnce::reproduce
