#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/core/table.h"

namespace projnce {

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
Table requested_settings(const RunRequest& request);

/// Whether the kind of the data will choose the encoder: there is neither a file nor its name.
bool data_chooses_encoder(const RunRequest& request, const Table& settings);

/// Reads the settings that a run stored. What older versions did not write gets the value that it
/// had then: dataset.split = "shuffle".
Table read_stored_settings(const std::filesystem::path& file);

/// The same for stored settings that have been read from elsewhere.
void complete_stored_settings(Table& settings);

/// Without a configuration file: sizes that suit a CPU and this many samples of this kind, put
/// wherever the settings say nothing.
void apply_quick_defaults(Table& settings, SampleKind kind, int64_t train_samples);

}  // namespace projnce
