#pragma once

#include <string>
#include <vector>

namespace projnce {

/// The settings that a training of the default encoder and loss has: "seed", "train.epochs".
std::vector<std::string> setting_keys();

/// The setting that someone means who writes `name` without its section, or with dashes:
/// "train.batch_size" for "batch-size", "loss.name" for "loss"; "" if there is none.
std::string setting_named(const std::string& name);

/// The setting whose last part is fewest edits away from `name`: "train.epochs" for "epoch"; "" if
/// none is near.
std::string nearest_setting(const std::string& name);

}  // namespace projnce
