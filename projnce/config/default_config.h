#pragma once

#include <map>
#include <string>
#include <vector>

#include "projnce/core/table.h"

namespace projnce::config {

/// The settings that a training of the default encoder and loss has: "seed", "train.epochs".
std::vector<std::string> setting_keys();

/// The setting that someone means who writes `name` without its section, or with dashes:
/// "train.batch_size" for "batch-size", "loss.name" for "loss"; "" if there is none.
std::string setting_named(const std::string& name);

/// The setting whose last part is fewest edits away from `name`: "train.epochs" for "epoch"; "" if
/// none is near.
std::string nearest_setting(const std::string& name);

/// What the settings of a run are when nobody sets them, so that a report can mark the others.
class DefaultConfig {
 public:
  /// For the dataset, encoder and loss that `config` names. What is found out from the data or the
  /// machine (the form of the input, threads) has no default and is not there.
  const Table& of(const Table& config);

 private:
  std::map<std::string, Table> known_;  // by the three names
};

}  // namespace projnce::config
