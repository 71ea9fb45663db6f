#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce::dataset {

/// A sample that does not decode. `reason` is a sentence that names it.
struct CorruptSample {
  int64_t index;
  std::string name;
  std::string reason;
};

struct DecodeAllOptions {
  int threads = 1;
  /// Told now and then, by the calling thread, how many samples are behind us. May throw to stop.
  std::function<void(int64_t done, int64_t total)> on_progress = {};
};

/// Decodes every sample once and hands it to `visit`, from several threads at once and in any
/// order. Returns the samples that do not decode, in order. What else goes wrong stops it and is
/// thrown.
std::vector<CorruptSample> decode_all(const Dataset& dataset, const DecodeAllOptions& options,
                                      const std::function<void(int64_t, Sample&&)>& visit);

}  // namespace projnce::dataset
