#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "projnce/core/table.h"
#include "projnce/report/run_paths.h"

namespace projnce {

/// How much of a run goes onto a report.
struct RunDataOptions {
  Table standard;  ///< settings as they are when nobody sets them; what it lacks has no default
  size_t most_points = SIZE_MAX;  ///< of a map; of more, evenly spaced ones are taken
  bool pictures = true;
};

/// A run as a report shows it, out of the files of its directory: RunData of web/src/model.ts. What
/// is not there, or damaged, is left out and named in `missing`.
nlohmann::ordered_json run_data(const RunPaths& run, const RunDataOptions& options);

}  // namespace projnce
