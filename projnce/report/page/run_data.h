#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "projnce/core/table.h"
#include "projnce/io/filesystem/run_directory.h"

namespace projnce::report {

/// metrics.jsonl as columns of numbers, for charts: an object with
///   steps    what was logged within epochs: step, epoch (2.5 is the middle of the third), loss,
///   ... epochs   means of epochs, counted from 1 tests    by protocol: step, epoch, top1, low,
///   high, top5, calibration_error events   [{step, epoch, name, loss}]: spikes and steps that were
///   passed over
/// A number that is missing or not finite is null. A line that is cut off or no JSON, as the last
/// one of a run that was killed may be, is left out. No file is no lines.
nlohmann::ordered_json metric_curves(const std::filesystem::path& metrics);

/// How much of a run goes onto a report.
struct RunDataOptions {
  Table standard;  ///< settings as they are when nobody sets them; what it lacks has no default
  size_t most_points = SIZE_MAX;  ///< of a map; of more, evenly spaced ones are taken
  bool images = true;
};

/// A run as a report shows it, out of the files of its directory: RunData of web/src/model.ts. What
/// is not there, or damaged, is left out and named in `missing`.
nlohmann::ordered_json run_data(const io::RunPaths& run, const RunDataOptions& options);

}  // namespace projnce::report
