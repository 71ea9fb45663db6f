#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/inspect/decode_all.h"

namespace projnce::dataset {

/// How many samples of a dataset may be unreadable: a number, a share, or, by default, the larger
/// of 1 % and 5.
struct CorruptLimit {
  std::optional<int64_t> count = {};
  std::optional<double> share = {};  ///< 0 to 1

  /// The most unreadable samples among `samples`.
  int64_t of(int64_t samples) const;
  /// "5", "1%", or "auto" by default: what parse_corrupt_limit reads.
  std::string text() const;
  /// "at most 5", "at most 1 %" or "at most 1 % or 5 files".
  std::string describe() const;
};

/// Reads a number of files such as "5", a share such as "1%", or "auto". Throws a sentence that
/// starts with `name` on anything else.
CorruptLimit parse_corrupt_limit(const std::string& text, const std::string& name);

struct CheckOptions {
  DecodeAllOptions decoding = {};
  /// Bytes of decoded samples that may stay in memory; later decoding of these is a copy. Samples
  /// beyond it are decoded from their files each time; images stay all or none, because a file
  /// may give a reduced part (see decode_region), and which are left out depends on the threads.
  size_t memory_budget = size_t{2} << 30;
};

struct CheckedDataset {
  DatasetPtr dataset;                  ///< the samples that decode
  std::vector<CorruptSample> damaged;  ///< the others; indices count in the dataset that was given
  size_t bytes_in_memory = 0;
  int channels = 1;  ///< 3 where any sample is colored
};

/// Decodes every sample once, so that training does not meet a damaged one after hours.
CheckedDataset check_dataset(const DatasetPtr& dataset, const CheckOptions& options);

struct CorruptSampleRules {
  bool strict = false;            ///< no sample may be damaged
  CorruptLimit max_corrupt = {};  ///< more damaged samples are an error
  int64_t damaged_before = 0;     ///< samples of other parts, which count too
  int64_t samples_in_all = 0;     ///< of all parts, for a limit that is a share; 0: of this part
  bool every_class = true;        ///< each class must have a readable sample
  std::string part = "dataset";   ///< what messages call the samples
};

/// Warns of the damaged samples of `dataset`, or throws: if the rules ask for it, or no sample is
/// left. `logger` may be null: then there are no warnings.
void check_corrupt_samples(const Dataset& dataset, const std::vector<CorruptSample>& damaged,
                           const CorruptSampleRules& rules, const Logger& logger);

}  // namespace projnce::dataset
