#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "projnce/config/run_config.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/io/filesystem/run_directory.h"

namespace projnce::data {

/// Describes the data of a run, for data.json and the summary: where it lies, as an absolute path
/// and relative to the run's directory, how it was split, and a fingerprint of the test part.
/// REQUIRES: the split was recorded.
nlohmann::ordered_json describe_data(const std::filesystem::path& run,
                                     const dataset::DatasetOptions& options,
                                     const dataset::OpenedDataset& data);

/// Where the data of a run lies now: the first of its path relative to the run's directory, its
/// absolute path and dataset.root that exists. Empty if the options say all that is known,
/// as for runs of older versions. Throws, naming all places, if the data is at none of them.
std::filesystem::path locate_data(const io::RunPaths& run, const dataset::DatasetOptions& options);

/// How to open the data of a run again, with the split that it was trained with. `data` is where it
/// lies now, or other data; empty: its own place. Points the configuration at other data.
dataset::OpenContext run_data_context(const io::RunPaths& run, config::RunConfig& config,
                                      const std::filesystem::path& data,
                                      dataset::OpenContext context);

}  // namespace projnce::data
