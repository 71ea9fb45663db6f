#pragma once

#include <cstdint>

#include "projnce/dataset/dataset.h"

namespace projnce {

struct FeatureNoiseOptions {
  double deviation = 0;  ///< of each value of each pixel, on the scale 0..255
  bool clip = true;      ///< noisy values stay in 0..255
  bool test = true;      ///< the test part gets noise as well
  uint64_t seed = 0;
};

/// Pictures with Gaussian noise on every value of every pixel, rounded to whole steps of the scale
/// 0..255. A picture's noise is drawn from the seed and its index, so it is the same each time it
/// is decoded. Throws where the samples are not pictures.
DatasetPtr with_feature_noise(DatasetPtr pictures, const FeatureNoiseOptions& options);

}  // namespace projnce
