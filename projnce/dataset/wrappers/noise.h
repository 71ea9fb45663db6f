#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce::dataset {

struct FeatureNoiseOptions {
  double deviation = 0;  ///< of each value of each pixel, on the scale 0..255
  bool clip = true;      ///< noisy values stay in 0..255
  bool test = true;      ///< the test part gets noise as well
  uint64_t seed = 0;
};

/// Images with Gaussian noise on every value of every pixel, rounded to whole steps of the scale
/// 0..255. An image's noise is drawn from the seed and its index, so it is the same each time it
/// is decoded. Throws where the samples are not images.
DatasetPtr with_feature_noise(DatasetPtr images, const FeatureNoiseOptions& options);

/// What happens to a label that is picked.
enum class LabelNoiseMode {
  kUniformOther,   ///< becomes one of the other classes
  kUniformAll,     ///< becomes any class, so that 1 of M picks changes nothing
  kPermuteSubset,  ///< changes places with other picked ones: the class counts stay
};

/// The modes by the names that configurations use.
std::vector<std::pair<std::string, LabelNoiseMode>> label_noise_modes();

struct LabelNoiseOptions {
  LabelNoiseMode mode = LabelNoiseMode::kUniformOther;
  double rate = 0;    ///< probability with which each label is picked, 0 to 1
  uint64_t seed = 0;  ///< the same seed picks the same rows and draws the same labels
};

/// The labels with some of them wrong. Row i draws two numbers of its own from the seed, so that
/// its pick does not depend on the rows before. Throws where a label is not in 0 .. num_classes -
/// 1, or there are fewer than two classes.
std::vector<int64_t> add_label_noise(std::vector<int64_t> labels, int64_t num_classes,
                                     const LabelNoiseOptions& options);

}  // namespace projnce::dataset
