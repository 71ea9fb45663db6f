#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce::dataset {

/// A sample that cannot be decoded. `reason` is a sentence that names it.
struct CorruptSample {
  int64_t index;
  std::string name;
  std::string reason;
};

struct DecodeAllOptions {
  int threads = 1;
  /// Called periodically by the calling thread with the number of decoded samples. May throw to
  /// cancel.
  std::function<void(int64_t done, int64_t total)> on_progress = {};
};

/// Decodes every sample once and passes it to `visit`, concurrently and in any order. Returns the
/// samples that cannot be decoded, in order. Other errors stop it and are rethrown.
std::vector<CorruptSample> decode_all(const Dataset& dataset, const DecodeAllOptions& options,
                                      const std::function<void(int64_t, Sample&&)>& visit);

}  // namespace projnce::dataset
