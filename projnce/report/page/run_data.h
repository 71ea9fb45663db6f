#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "projnce/core/table.h"
#include "projnce/io/filesystem/run_directory.h"

namespace projnce::report {

/// Reads metrics.jsonl as columns of numbers for charts. Returns an object with
/// - `steps`: step, epoch (2.5 is halfway through the third), loss, ...;
/// - `epochs`: means over epochs, numbered from 1;
/// - `tests`: per protocol, step, epoch, top1, low, high, top5, calibration_error;
/// - `events`: [{step, epoch, name, loss}], loss spikes and skipped steps.
///
/// Missing and non-finite numbers are null. Truncated or invalid lines, such as the last line of a
/// killed run, are skipped. A missing file counts as empty.
nlohmann::ordered_json metric_curves(const std::filesystem::path& metrics);

/// Limits on the data of a run in a report.
struct RunDataOptions {
  Table standard;                 ///< default settings; a missing key has no default
  size_t most_points = SIZE_MAX;  ///< maximum per map; larger maps are subsampled evenly
  bool images = true;
};

/// Reads the files of a run directory into the data of a report: RunData of web/src/model.ts.
/// Missing or corrupt files are omitted and listed in `missing`.
nlohmann::ordered_json run_data(const io::RunPaths& run, const RunDataOptions& options);

}  // namespace projnce::report
