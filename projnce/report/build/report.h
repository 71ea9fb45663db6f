#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"

namespace projnce::report {

struct ReportRequest {
  /// Directories of runs, or folders that hold some.
  std::vector<std::filesystem::path> runs;
  /// Empty: report.html in the run; of several in the folder that they lie in.
  std::filesystem::path output;
  dataset::OpenContext context;  ///< where datasets are looked for
};

/// Writes one report about the runs. What a finished run lacks for it (map, audit, images) is
/// made and stays in its directory, where the data is still at hand.
nlohmann::ordered_json report_runs(const ReportRequest& request, const Logger& logger);

}  // namespace projnce::report
