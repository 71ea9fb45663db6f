#pragma once

#include <map>
#include <string>
#include <vector>

#include "projnce/core/table.h"

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

}  // namespace projnce::config
