#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/core/table.h"
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

/// A cell of a planned reproduction.
struct PlannedCell {
  std::string title;
  std::filesystem::path directory;  ///< of its run
  Table settings;                   ///< configuration of its run
  bool blocked = false;             ///< a run with other settings exists
  bool finished = false;
};

/// Cells of one column that cannot be trained, for one reason.
struct SkippedCells {
  std::string column;
  int64_t cells = 0;  ///< number of cells
  std::string reason;
};

/// What a reproduction would train.
struct ReproductionPlan {
  std::string name;        ///< of the result files
  std::string scale;       ///< name of the scale
  std::string recipe;      ///< description of the scale
  int jobs = 0;            ///< cells trained in parallel
  int threads = 0;         ///< of each job
  int64_t unfinished = 0;  ///< number of cells to train
  double seconds = 0;      ///< estimated time to train them
  std::vector<SkippedCells> skipped;
  std::vector<PlannedCell> cells;  ///< without the skipped ones
};

/// Dry run: returns the cells, their status, and the estimated time, from a few training steps.
ReproductionPlan plan_reproduction(const ReproduceRequest& request,
                                   const ReproduceEnvironment& environment);

}  // namespace projnce::reproduce
