#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce::dataset {

struct FeatureNoiseOptions {
  double deviation = 0;  ///< standard deviation per pixel value, on the scale 0..255
  bool clip = true;      ///< if true, clip noisy values to 0..255
  bool test = true;      ///< if true, also add noise to the test split
  uint64_t seed = 0;
};

/// Adds Gaussian noise to every pixel value, rounded to integers on the scale 0..255. The noise of
/// an image depends on the seed and its index, so it is the same each time the image is decoded.
/// Throws if the samples are not images.
DatasetPtr with_feature_noise(DatasetPtr images, const FeatureNoiseOptions& options);

/// Effect of label noise on a selected label.
enum class LabelNoiseMode {
  kUniformOther,   ///< replaced by one of the other classes, uniformly
  kUniformAll,     ///< replaced by any class, uniformly; unchanged with probability 1/M
  kPermuteSubset,  ///< permuted among the selected labels; preserves class counts
};

/// The modes with their names in configurations.
std::vector<std::pair<std::string, LabelNoiseMode>> label_noise_modes();

struct LabelNoiseOptions {
  LabelNoiseMode mode = LabelNoiseMode::kUniformOther;
  double rate = 0;    ///< probability of selecting a label, 0 to 1
  uint64_t seed = 0;  ///< determines the selected rows and the new labels
};

/// Returns the labels with noise. Row i draws its own two numbers from the seed, independent of
/// other rows. Throws if a label is not in [0, num_classes), or if there are fewer than two
/// classes.
std::vector<int64_t> add_label_noise(std::vector<int64_t> labels, int64_t num_classes,
                                     const LabelNoiseOptions& options);

}  // namespace projnce::dataset
