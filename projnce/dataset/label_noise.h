#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace projnce {

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

}  // namespace projnce
