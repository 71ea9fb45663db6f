#pragma once

#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/dataset/dataset.h"

namespace projnce::run {

/// What the results of a run depend on besides its settings, by name: program version, kind of
/// device, threads, ranks, instruction set, libraries. If any of these differ, two runs agree only
/// up to rounding.
using ReproducibilityInfo = std::map<std::string, std::string>;

ReproducibilityInfo reproducibility_info(int threads, int ranks,
                                         const torch::Device& device = torch::kCPU);

/// Describes the differences: "threads 2 instead of 1, ..."; "" if there are none.
std::string reproducibility_changes(const ReproducibilityInfo& before,
                                    const ReproducibilityInfo& now);

/// Hash of the samples of `splits`: all names and labels in order, and the decoded contents of up
/// to 100 evenly spaced samples per split. Reading all samples would take as long as an epoch.
std::string data_fingerprint(const std::vector<const dataset::Dataset*>& splits);

/// Hash that identifies the samples of one split across runs: names and class names, independent of
/// order, and, if `contents` is true, the decoded contents of up to 100 samples. If not empty,
/// `labels` replace those of `split`.
std::string split_fingerprint(const dataset::Dataset& split, const std::vector<int64_t>& labels,
                              bool contents);

/// Hash of path, size and modification time of all sample files.
std::string file_fingerprint(const std::vector<const dataset::Dataset*>& splits);

/// Lists the settings of `now` that differ from `before`, such as "train.epochs = 20 instead of
/// 10", separated by commas; "" if there are none. Ignores settings that are only in `before`.
std::string setting_changes(const Table& before, const Table& now);

/// Hash of the bytes of the program and of its library.
std::string program_fingerprint();

}  // namespace projnce::run
