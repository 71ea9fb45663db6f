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

/// The values that belong to the whole run.
struct RunSettings {
  int64_t seed = 1;
  int64_t threads = 0;    ///< 0: all cores
  std::string data_root;  ///< holds datasets under their names; "" for PROJNCE_DATA
};

/// Joins file, folder and settings into one table and checks every key of it that can be checked
/// before data is opened, so that a typo stops the run in its first second.
Table read_run_config(const RunRequest& request);

/// Reads the configuration that a run stored. What older versions did not write gets the value that
/// it had then: dataset.split = "shuffle".
Table read_stored_config(const std::filesystem::path& file);

/// The same for a stored configuration that has been read from elsewhere.
void complete_stored_config(Table& table);

/// Checks every section but [dataset] as read_run_config does. Throws where a key or value is
/// wrong.
void check_run_settings(const Table& table);

/// Reads the top level of the table; the sections are read by their owners.
RunSettings read_run_settings(Table& table);

/// A text out of a section that was read.
const std::string& text_setting(const Table& config, const std::string& section,
                                const std::string& key);

/// Without a configuration file: sizes that suit a CPU and this many samples of this kind, put
/// wherever the table says nothing.
void apply_quick_defaults(Table& table, SampleKind kind, int64_t train_samples);

}  // namespace projnce
