#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "projnce/config/run_config.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/io/filesystem/run_directory.h"

namespace projnce::data {

/// Run whose weights a training started from.
struct InitialRun {
  std::string run;  ///< its directory
  /// Number of test samples that its weights were trained on; empty: unknown.
  std::optional<int64_t> test_samples_seen = {};
};

/// Data of a run, recorded in data.json and the summary.
struct DataRecord {
  std::string dataset;                  ///< name of the dataset
  std::string root;                     ///< dataset.root of config.toml
  std::filesystem::path absolute;       ///< path of the data
  std::filesystem::path relative;       ///< the same, relative to the run directory
  std::string split;                    ///< rule of the split; "fixed" for that of the dataset
  int64_t train = 0;                    ///< number of training samples
  int64_t test = 0;                     ///< number of test samples
  int64_t unused = 0;                   ///< number of samples in neither split
  std::string test_set;                 ///< fingerprint of the test split
  std::optional<InitialRun> init = {};  ///< empty if training did not start from another run
};

/// Describes the data of a run, without `init`. REQUIRES: the split was recorded.
DataRecord describe_data(const std::filesystem::path& run, const dataset::DatasetOptions& options,
                         const dataset::OpenedDataset& data);

/// Returns the contents of data.json. A path with unprintable characters is escaped and then does
/// not exist; dataset.root of config.toml is used instead.
nlohmann::ordered_json data_json(const DataRecord& record);

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
