#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "projnce/dataset/decode_all.h"

namespace projnce {

/// The smallest, middle and largest of some numbers; all 0 where there are none.
struct Spread {
  int min = 0;
  int median = 0;
  int max = 0;
};

/// What one part of a dataset holds.
struct PartInfo {
  int64_t samples = 0;
  std::vector<int64_t> per_class;
  // Of the samples that decode:
  Spread height;
  Spread width;
  std::map<int, int64_t> channels;     ///< number of channels -> samples that have it
  std::vector<DamagedSample> damaged;  ///< the samples that do not
};

struct DatasetInfo {
  std::vector<std::string> class_names;
  PartInfo train;
  PartInfo test;

  bool intact() const { return train.damaged.empty() && test.damaged.empty(); }
};

/// Decodes every sample of both parts.
DatasetInfo inspect(const DatasetSplit& dataset, const DecodeAllOptions& options);

}  // namespace projnce
