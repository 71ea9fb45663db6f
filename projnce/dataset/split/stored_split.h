#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/split/sample_id.h"

namespace projnce::dataset {

/// Which samples a run was trained and tested on: the content of split.safetensors.
struct StoredSplit {
  struct Part {
    std::vector<SampleId> ids;    ///< in the order of the run's samples
    std::vector<int64_t> labels;  ///< that the files gave them
  };
  std::string rule;                           ///< DatasetSplit::split_rule
  std::vector<std::string> class_names = {};  ///< of the test part
  Part train;
  Part test;
  /// Samples of the data that the run did not use: limits, damaged files. Sorted.
  std::vector<SampleId> unused = {};
  /// Samples that the initial weights had been trained on, over all runs before. Sorted.
  std::vector<SampleId> seen = {};
};

using StoredSplitPtr = std::shared_ptr<const StoredSplit>;

/// Describes the split of an opened dataset. `all` has the identities of both parts before any
/// sample was left out.
StoredSplit describe_split(const DatasetSplit& split, std::vector<SampleId> all);

void write_split(const std::filesystem::path& path, const StoredSplit& split);

/// Throws if the file is not one that write_split wrote, or is damaged.
StoredSplit read_split(const std::filesystem::path& path);

/// The samples that the model of a run with this split has been trained on, each once, sorted.
std::vector<SampleId> trained_ids(const StoredSplit& split);

/// The same for two test parts with the same samples and labels, in any order.
std::string test_set_fingerprint(const StoredSplit& split);

/// What to do with samples that the stored split does not know.
enum class NewSamples {
  kLeaveOut,
  kKeep,  ///< in the part that they were opened in
};

/// How data differs from what a run was trained on.
struct SplitChanges {
  int64_t kept = 0;       ///< samples of the run that the data has
  int64_t gone = 0;       ///< samples of the run that the data lacks
  int64_t gone_test = 0;  ///< of these in the test part
  int64_t added = 0;      ///< samples that the run did not have
  int64_t relabeled = 0;
  /// By training sample: its number in the stored training part; -1 for a new one.
  std::vector<int64_t> train_rows = {};

  bool any() const { return gone + added + relabeled > 0; }
};

/// Gives the dataset the parts of the stored split, in their order. Samples are told by their
/// identities, so files may have been moved between folders or renamed.
SplitChanges apply_split(DatasetSplit& split, const StoredSplit& stored, NewSamples new_samples);

}  // namespace projnce::dataset
