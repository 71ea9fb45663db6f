#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/core/table.h"
#include "projnce/dataset/dataset_options.h"

namespace projnce::config {

/// Keys of all settings of a training with the default encoder and loss: "seed", "train.epochs",
/// ...
std::vector<std::string> setting_keys();

/// Completes a name that lacks its section or has dashes: "train.batch_size" for "batch-size",
/// "loss.name" for "loss"; "" if there is no such setting.
std::string setting_named(const std::string& name);

/// Setting whose last part has the smallest edit distance to `name`: "train.epochs" for "epoch"; ""
/// if none is close.
std::string nearest_setting(const std::string& name);

/// Default settings of a run, so that a report can highlight the others.
class DefaultConfig {
 public:
  /// Defaults for the dataset, encoder and loss named in `config`. Excludes settings that depend on
  /// the data or the machine (input format, threads).
  const Table& of(const Table& config);

 private:
  std::map<std::string, Table> cache_;  // key: the three names
};

/// Options for data given on the command line: a dataset name, or a folder or archive, which
/// becomes the root. `layout` is the dataset layout of the path; "": auto-detect. Throws if `what`
/// does not exist.
dataset::DatasetOptions named_dataset(const std::string& what, const std::string& layout = "");

/// True if `what` is a dataset name, a folder or an archive; false for a single sample.
bool names_dataset(const std::string& what);

/// Configuration of a training: file, data and overrides.
struct RunRequest {
  std::filesystem::path config;       ///< TOML file; may be empty
  std::filesystem::path data;         ///< dataset name, folder or archive; may be empty
  std::vector<std::string> settings;  ///< overrides "a.b=v"; later ones take precedence
  std::filesystem::path init = {};    ///< sets train.init; may be empty
  std::string layout = {};            ///< of `data`; empty: auto-detect
};

/// Merges file, data and overrides into one table. Throws if parse_run_config rejects it, so that a
/// typo is reported before data is opened. Replaces deprecated names by the current ones; if not
/// null, `deprecations` receives a message for each.
Table requested_settings(const RunRequest& request,
                         std::vector<std::string>* deprecations = nullptr);

/// True if the kind of the data determines the encoder: there is neither a file nor encoder.name.
bool data_chooses_encoder(const RunRequest& request, const Table& settings);

/// Reads the stored settings of a run. Keys that older versions did not write get the value that
/// they implied: dataset.split = "shuffle".
Table read_stored_settings(const std::filesystem::path& file);

/// Completes stored settings like read_stored_settings.
void complete_stored_settings(Table& settings);

/// Defaults for training without a configuration file: fills missing settings with values that suit
/// a CPU and this number and kind of samples.
void apply_auto_config(Table& settings, SampleKind kind, int64_t train_samples);

}  // namespace projnce::config
