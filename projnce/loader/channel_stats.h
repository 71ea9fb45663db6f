#pragma once

#include <cstdint>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce::loader {

/// Of images: over all pixels, per channel, on the 0..1 scale. Of spectrograms and vectors: one
/// value over all numbers.
struct ChannelStats {
  std::vector<double> mean;
  std::vector<double> std;  ///< at least 1 / 255, so that dividing by it is safe
};

struct ChannelStatsOptions {
  int channels = 3;            ///< images: 1 mixes colors to gray, 3 repeats gray
  int64_t max_samples = 5000;  ///< samples looked at, evenly spaced over the dataset
  int64_t threads = 1;
};

/// For datasets without published values. Samples that do not decode are passed over. The result
/// does not depend on the number of threads.
ChannelStats channel_stats(const dataset::Dataset& dataset, const ChannelStatsOptions& options);

}  // namespace projnce::loader
