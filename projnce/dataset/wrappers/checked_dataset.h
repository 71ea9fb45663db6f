#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/inspect/decode_all.h"

namespace projnce::dataset {

/// Maximum number of unreadable samples: a count, a fraction, or by default the larger of 1 %
/// and 5.
struct CorruptLimit {
  std::optional<int64_t> count = {};
  std::optional<double> fraction = {};  ///< 0 to 1

  /// Returns the maximum for a dataset of `samples` samples.
  int64_t of(int64_t samples) const;
  /// Formats the limit as parse_corrupt_limit accepts it: "5", "1%", or "auto" (default).
  std::string text() const;
  /// Describes the limit: "at most 5", "at most 1 %" or "at most 1 % or 5 files".
  std::string describe() const;
};

/// Parses a number of files such as "5", a fraction such as "1%", or "auto". Otherwise throws a
/// message that starts with `name`.
CorruptLimit parse_corrupt_limit(const std::string& text, const std::string& name);

struct CheckOptions {
  DecodeAllOptions decoding = {};
  /// Memory budget for decoded samples in bytes; cached samples are copied instead of decoded.
  /// Samples beyond the budget are decoded from their files each time. Images are cached all or
  /// none, because files can be decoded partially (see decode_region), and which ones fit depends
  /// on thread timing.
  size_t memory_budget = size_t{2} << 30;
};

struct CheckedDataset {
  DatasetPtr dataset;                  ///< samples that can be decoded
  std::vector<CorruptSample> corrupt;  ///< indices refer to the given dataset
  size_t bytes_in_memory = 0;
  int channels = 1;  ///< 3 if any sample has color
};

/// Decodes every sample once, so that corrupt samples are detected before training.
CheckedDataset check_dataset(const DatasetPtr& dataset, const CheckOptions& options);

struct CorruptSampleRules {
  bool strict = false;            ///< if true, no sample may be corrupt
  CorruptLimit max_corrupt = {};  ///< more corrupt samples are an error
  int64_t corrupt_before = 0;     ///< corrupt samples of other splits, included in the limit
  int64_t total_samples = 0;      ///< of all splits, for a relative limit; 0: of this split
  bool every_class = true;        ///< if true, each class must have a readable sample
  std::string split = "dataset";  ///< name of the split in messages
};

/// Warns about the corrupt samples of `dataset`, or throws if a rule is violated or no sample
/// remains. `logger` may be null: then there are no warnings.
void check_corrupt_samples(const Dataset& dataset, const std::vector<CorruptSample>& corrupt,
                           const CorruptSampleRules& rules, const Logger& logger);

}  // namespace projnce::dataset
