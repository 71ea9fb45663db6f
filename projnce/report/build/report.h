#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"

namespace projnce::report {

struct ReportRequest {
  /// Run directories, or folders that contain run directories.
  std::vector<std::filesystem::path> runs;
  /// Output file; default: report.html in the run, or in the common folder of several runs.
  std::filesystem::path output;
  dataset::OpenContext context;  ///< where to look for datasets
};

/// A written report.
struct ReportResult {
  size_t runs = 0;   ///< number of runs in the report
  size_t bytes = 0;  ///< size of the file
  std::filesystem::path file;
};

/// Writes one report about the runs. If a finished run lacks map, audit or images and its data is
/// still available, computes them and stores them in the run directory.
ReportResult report_runs(const ReportRequest& request, const Logger& logger);

}  // namespace projnce::report
