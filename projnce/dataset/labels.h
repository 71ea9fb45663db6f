#pragma once

#include <cstdint>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce::dataset {

/// The label of every sample.
std::vector<int64_t> labels_of(const Dataset& dataset);

/// How many samples each class has; nothing where there are no classes.
std::vector<int64_t> class_counts(const Dataset& dataset);

/// Throws unless the training part `train` has samples of two classes or more.
void check_two_classes(const Dataset& train);

/// `count` samples with the classes in the proportions that they have, drawn by the seed; the
/// indices ascend. A larger count adds samples to a smaller one's, and as soon as count reaches the
/// number of classes, each class has a sample. All samples where there are no more than `count`.
std::vector<int64_t> stratified_subset(const Dataset& dataset, int64_t count, uint64_t seed);

/// `fraction` of each class, at least one sample, drawn by the seed; the indices ascend.
/// REQUIRES: 0 < fraction <= 1.
std::vector<int64_t> fraction_of_each_class(const Dataset& dataset, double fraction, uint64_t seed);

/// A long tail: the first class may keep as many samples as the largest class has, the last one
/// `ratio` of that number, those between fall off exponentially; at least one each, drawn by the
/// seed. The indices ascend. REQUIRES: 0 < ratio <= 1.
std::vector<int64_t> long_tailed_subset(const Dataset& dataset, double ratio, uint64_t seed);

struct SplitIndices {
  std::vector<int64_t> train;
  std::vector<int64_t> test;
};

/// Sets `test_fraction` of each class aside, drawn by the seed; the indices ascend. A class of two
/// or more has at least one sample on either side; a class of one trains. Labels are 0 or more.
SplitIndices stratified_split(const std::vector<int64_t>& labels, double test_fraction,
                              uint64_t seed);

}  // namespace projnce::dataset
