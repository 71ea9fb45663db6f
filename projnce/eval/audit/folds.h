#pragma once

#include <cstdint>
#include <vector>

namespace projnce {

/// The fold, 0 .. folds - 1, of each sample: drawn by the seed, classes and folds as even as they
/// can be. A class of two samples or more lies in two folds or more.
/// REQUIRES: labels are in 0 .. num_classes - 1, folds >= 2.
std::vector<int64_t> stratified_folds(const std::vector<int64_t>& labels, int64_t num_classes,
                                      int64_t folds, uint64_t seed);

}  // namespace projnce
