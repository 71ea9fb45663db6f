#pragma once

#include <cstdint>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce::dataset {

/// Returns the label of every sample.
std::vector<int64_t> labels_of(const Dataset& dataset);

/// Returns the number of samples of each class; empty if there are no classes.
std::vector<int64_t> class_counts(const Dataset& dataset);

/// Throws unless the training split has samples of at least two classes.
void check_two_classes(const Dataset& train);

/// Draws `count` samples with class proportions preserved; indices are ascending. Subsets are
/// nested in `count`, and contain every class once `count` reaches the number of classes. Returns
/// all samples if there are at most `count`.
std::vector<int64_t> stratified_subset(const Dataset& dataset, int64_t count, uint64_t seed);

/// Draws `fraction` of each class, at least one sample; indices are ascending.
/// REQUIRES: 0 < fraction <= 1.
std::vector<int64_t> fraction_of_each_class(const Dataset& dataset, double fraction, uint64_t seed);

/// Draws a long-tailed subset: class sizes decay exponentially from the size of the largest class
/// (first class) to `ratio` times that size (last class), limited by the samples of each class, at
/// least one. Indices are ascending. REQUIRES: 0 < ratio <= 1.
std::vector<int64_t> long_tailed_subset(const Dataset& dataset, double ratio, uint64_t seed);

struct SplitIndices {
  std::vector<int64_t> train;
  std::vector<int64_t> test;
};

/// Holds out `test_fraction` of each class; indices are ascending. A class with at least two
/// samples has at least one on either side; a class with one sample is in the training split.
/// REQUIRES: labels >= 0.
SplitIndices stratified_split(const std::vector<int64_t>& labels, double test_fraction,
                              uint64_t seed);

}  // namespace projnce::dataset
