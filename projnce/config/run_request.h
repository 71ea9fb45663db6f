#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/core/table.h"
#include "projnce/dataset/dataset_options.h"

namespace projnce::config {

/// The options for data that a user names on the command line: a dataset's name, a folder or an
/// archive, which becomes the root. `layout` is the dataset whose layout a path has; "" finds it
/// out by looking. Throws where there is no such thing.
dataset::DatasetOptions named_dataset(const std::string& what, const std::string& layout = "");

/// Whether the name is that of a dataset, a folder or an archive, not of a single sample.
bool names_dataset(const std::string& what);

/// What a training is asked to do: a configuration file, a folder of data, settings on top.
struct RunRequest {
  std::filesystem::path config;       ///< may be empty
  std::filesystem::path data;         ///< may be empty; a folder or an archive
  std::vector<std::string> settings;  ///< "a.b=v", later ones win
  std::filesystem::path init = {};    ///< may be empty; short for train.init
  std::string layout = {};            ///< of `data`; empty: found out by looking
};

/// Joins file, folder and settings into one table. Throws, before data is opened, where
/// parse_run_config cannot read it: a typo stops the run in its first second.
/// Deprecated names are replaced by the present ones; `deprecations`, unless null, receives a
/// message about each.
Table requested_settings(const RunRequest& request,
                         std::vector<std::string>* deprecations = nullptr);

/// Whether the kind of the data will choose the encoder: there is neither a file nor its name.
bool data_chooses_encoder(const RunRequest& request, const Table& settings);

/// Reads the settings that a run stored. What older versions did not write gets the value that it
/// had then: dataset.split = "shuffle".
Table read_stored_settings(const std::filesystem::path& file);

/// The same for stored settings that have been read from elsewhere.
void complete_stored_settings(Table& settings);

/// Without a configuration file: sizes that suit a CPU and this many samples of this kind, put
/// wherever the settings say nothing.
void apply_auto_config(Table& settings, SampleKind kind, int64_t train_samples);

}  // namespace projnce::config
