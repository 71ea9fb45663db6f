#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/split/sample_id.h"

namespace projnce::dataset {

/// The samples that a run was trained and tested on: the content of split.safetensors.
struct StoredSplit {
  struct Samples {
    std::vector<SampleId> ids;    ///< in the order of the run's samples
    std::vector<int64_t> labels;  ///< labels given by the files
  };
  std::string rule;                           ///< DatasetSplit::split_rule
  std::vector<std::string> class_names = {};  ///< of the test split
  Samples train;
  Samples test;
  /// Samples of the data that the run did not use because of limits or corrupt files. Sorted.
  std::vector<SampleId> unused = {};
  /// Samples that the initial weights were trained on, over all previous runs. Sorted.
  std::vector<SampleId> seen = {};
};

using StoredSplitPtr = std::shared_ptr<const StoredSplit>;

/// Describes the split of an opened dataset. `all` contains the identities of both splits before
/// any sample was removed.
StoredSplit describe_split(const DatasetSplit& split, std::vector<SampleId> all);

void write_split(const std::filesystem::path& path, const StoredSplit& split);

/// Throws if the file was not written by write_split or is corrupt.
StoredSplit read_split(const std::filesystem::path& path);

/// Returns the samples that the model of a run with this split was trained on, unique and sorted.
std::vector<SampleId> trained_ids(const StoredSplit& split);

/// Fingerprint of the test split: equal for the same samples and labels in any order.
std::string test_set_fingerprint(const StoredSplit& split);

/// Handling of samples that are missing from the stored split.
enum class NewSamples {
  kSkip,
  kKeep,  ///< in the split in which they were opened
};

/// Differences between the data and the data that a run was trained on.
struct SplitChanges {
  int64_t kept = 0;       ///< samples of the run that still exist
  int64_t gone = 0;       ///< samples of the run that no longer exist
  int64_t gone_test = 0;  ///< the same, in the test split only
  int64_t added = 0;      ///< samples that are new
  int64_t relabeled = 0;
  /// For each training sample, its row in the stored training split; -1 if new.
  std::vector<int64_t> train_rows = {};

  bool any() const { return gone + added + relabeled > 0; }
};

/// Gives the dataset the splits of the stored split, in their order. Samples are matched by
/// identity, so files may have been moved or renamed.
SplitChanges apply_split(DatasetSplit& split, const StoredSplit& stored, NewSamples new_samples);

}  // namespace projnce::dataset
