#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/inspect/decode_all.h"

namespace projnce::dataset {

/// The smallest, middle and largest of some numbers; all 0 where there are none.
template <class T>
struct Spread {
  T min = 0;
  T median = 0;
  T max = 0;
};

/// What one part of a dataset holds. Sizes are those of the samples that decode; what its kind does
/// not have is empty.
struct PartInfo {
  int64_t samples = 0;
  std::vector<std::string> class_names;
  std::vector<int64_t> per_class;
  std::vector<CorruptSample> damaged;  ///< the samples that do not decode

  // Images:
  Spread<int> height;
  Spread<int> width;
  std::map<int, int64_t> channels;  ///< number of channels -> samples that have it
  // Sounds:
  std::map<int, int64_t> rates;  ///< samples a second -> sounds that have it
  Spread<double> seconds;
  double total_seconds = 0;
  // Vectors:
  int dimension = 0;  ///< of the longest
};

struct DatasetInfo {
  SampleKind kind = SampleKind::kImage;
  std::vector<std::string> class_names;  ///< those of the test part
  PartInfo train;
  PartInfo test;
  std::optional<PartInfo> reference = {};       ///< labeled samples beside a training part without
  std::optional<PartInfo> background = {};  ///< noises to mix into training sounds
  std::vector<std::string> remarks = {};    ///< sentences for the user
  std::vector<std::string> warnings = {};   ///< sentences on what is likely wrong
  std::map<std::string, int64_t> unread_files = {};  ///< by extension
  LayoutChoice layout = {};                          ///< no name for a single file

  /// The part to learn classes from: it has the classes of the test part.
  const PartInfo& labeled() const { return reference ? *reference : train; }
  /// The parts that are there, and what they are called.
  std::vector<std::pair<const char*, const PartInfo*>> parts() const;
  int64_t samples() const;
  int64_t damaged() const;
  bool valid() const { return damaged() == 0; }
};

/// Decodes every sample of all parts. The progress is that through all of them.
DatasetInfo inspect(const DatasetSplit& dataset, const DecodeAllOptions& options);

}  // namespace projnce::dataset
