#pragma once

#include <cstdint>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce::loader {

/// Mean and standard deviation: per channel over all pixels on the 0..1 scale for images, one value
/// over all elements for spectrograms and feature vectors.
struct ChannelStats {
  std::vector<double> mean;
  std::vector<double> std;  ///< at least 1 / 255, so that dividing by it is safe
};

struct ChannelStatsOptions {
  int channels = 3;            ///< images: 1 converts color to gray, 3 replicates gray
  int64_t max_samples = 5000;  ///< number of samples to use, evenly spaced over the dataset
  int64_t threads = 1;
};

/// Computes normalization statistics, for datasets without published values. Skips samples that
/// fail to decode. The result does not depend on the number of threads.
ChannelStats channel_stats(const dataset::Dataset& dataset, const ChannelStatsOptions& options);

}  // namespace projnce::loader
