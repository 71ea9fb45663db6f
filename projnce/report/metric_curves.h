#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace projnce {

/// metrics.jsonl as columns of numbers, for charts: an object with
///   steps    what was logged within epochs: step, epoch (2.5 is the middle of the third), loss,
///   ... epochs   means of epochs, counted from 1 tests    by protocol: step, epoch, top1, low,
///   high, top5, calibration_error events   [{step, epoch, name, loss}]: spikes and steps that were
///   passed over
/// A number that is missing or not finite is null. A line that is cut off or no JSON, as the last
/// one of a run that was killed may be, is left out. No file is no lines.
nlohmann::ordered_json metric_curves(const std::filesystem::path& metrics);

}  // namespace projnce
