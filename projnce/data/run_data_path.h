#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "projnce/config/run_config.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/io/filesystem/run_directory.h"

namespace projnce::data {

/// Describes the data of a run, for data.json and the summary: its path, absolute and relative to
/// the run directory, its split, and a fingerprint of the test split. REQUIRES: the split was
/// recorded.
nlohmann::ordered_json describe_data(const std::filesystem::path& run,
                                     const dataset::DatasetOptions& options,
                                     const dataset::OpenedDataset& data);

/// Returns the current path of the data of a run: the first that exists of its path relative to the
/// run directory, its absolute path, and dataset.root. Empty if nothing is recorded, as for runs of
/// older versions; use the options then. Throws, listing all paths, if none of them exists.
std::filesystem::path locate_data(const io::RunPaths& run, const dataset::DatasetOptions& options);

/// Returns the context to reopen the data of a run with the split of its training. `data` is its
/// current path, or other data; empty: as recorded. Updates `config` for other data.
dataset::OpenContext run_data_context(const io::RunPaths& run, config::RunConfig& config,
                                      const std::filesystem::path& data,
                                      dataset::OpenContext context);

}  // namespace projnce::data
