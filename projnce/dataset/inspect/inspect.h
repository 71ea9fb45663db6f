#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/inspect/decode_all.h"

namespace projnce::dataset {

/// Minimum, median and maximum; all 0 if there are no values.
template <class T>
struct Spread {
  T min = 0;
  T median = 0;
  T max = 0;
};

/// Statistics of one split of a dataset. Sizes cover the samples that can be decoded; fields that
/// do not apply to the kind of samples are empty.
struct SplitInfo {
  int64_t samples = 0;
  std::vector<std::string> class_names;
  std::vector<int64_t> per_class;
  std::vector<CorruptSample> corrupt;  ///< samples that cannot be decoded

  // Images:
  Spread<int> height;
  Spread<int> width;
  std::map<int, int64_t> channels;  ///< number of channels -> number of samples
  // Clips:
  std::map<int, int64_t> rates;  ///< sampling rate -> number of clips
  Spread<double> seconds;
  double total_seconds = 0;
  // Vectors:
  int dimension = 0;  ///< of the longest vector
};

struct DatasetInfo {
  SampleKind kind = SampleKind::kImage;
  std::vector<std::string> class_names;  ///< classes of the test split
  SplitInfo train;
  SplitInfo test;
  std::optional<SplitInfo> reference = {};  ///< labeled samples if the training split has no labels
  std::optional<SplitInfo> background = {};          ///< noises to mix into training clips
  std::vector<std::string> remarks = {};             ///< sentences for the user
  std::vector<std::string> warnings = {};            ///< sentences about likely problems
  std::map<std::string, int64_t> unread_files = {};  ///< by extension
  LayoutChoice layout = {};                          ///< empty name for a single file

  /// Labeled split to learn classes from, with the classes of the test split.
  const SplitInfo& labeled() const { return reference ? *reference : train; }
  /// All present splits with their names.
  std::vector<std::pair<const char*, const SplitInfo*>> splits() const;
  int64_t samples() const;
  int64_t corrupt() const;
  bool valid() const { return corrupt() == 0; }
};

/// Decodes every sample of all splits. Progress is reported over all of them.
DatasetInfo inspect(const DatasetSplit& dataset, const DecodeAllOptions& options);

}  // namespace projnce::dataset
