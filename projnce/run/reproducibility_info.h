#pragma once

#include <map>
#include <string>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/dataset/dataset.h"

namespace projnce::run {

/// What a run's numbers depend on besides its settings, by name: the program's version, threads,
/// ranks, instruction set, libraries. Two runs whose conditions differ agree only up to rounding.
using ReproducibilityInfo = std::map<std::string, std::string>;

ReproducibilityInfo reproducibility_info(int threads, int ranks);

/// "threads 2 instead of 1", one for each that differs.
std::string reproducibility_changes(const ReproducibilityInfo& before,
                                    const ReproducibilityInfo& now);

/// The same for two datasets with the same samples: all names and labels in their order, and the
/// content of some that lie evenly among them. Reading everything would take as long as an epoch.
std::string data_fingerprint(const std::vector<const dataset::Dataset*>& parts);

/// Identifies the samples of one part across runs: hash of all names and class names in any order,
/// and, if `contents` is true, of the decoded contents of up to 100 samples. `labels` replace the
/// part's own unless they are empty.
std::string part_fingerprint(const dataset::Dataset& part, const std::vector<int64_t>& labels,
                             bool contents);

/// Changes when a file of any sample does: its place, size or time.
std::string file_fingerprint(const std::vector<const dataset::Dataset*>& parts);

/// The settings of `now` that differ from `before`, such as "train.epochs = 20 instead of 10",
/// joined by commas; "" where none does. Settings that only `before` has are no change.
std::string setting_changes(const Table& before, const Table& now);

/// The same for two copies of the program: a hash of its bytes and of its library's.
std::string program_fingerprint();

}  // namespace projnce::run
