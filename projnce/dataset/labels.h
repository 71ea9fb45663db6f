#pragma once

#include <cstdint>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/split/sample_id.h"

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

struct HashSplitOptions {
  double test_fraction = 0.2;  ///< expected fraction of the test split, in (0, 1)
  uint64_t seed = 0;           ///< different seeds give independent splits
  /// Samples that stay in the training split; may be null.
  const SampleIdSet* keep_in_train = nullptr;
};

/// Maps a sample to [0, 1); samples below `test_fraction` are in the test split.
double split_position(const SampleId& id, uint64_t seed);

/// Splits samples by their identities; indices are ascending. The split of a sample depends only on
/// its own identity, so adding, removing, renaming and relabeling other samples does not move it,
/// and exact duplicates are in the same split. Two corrections for small classes:
///
///   - a class without a training sample gets the one with the largest position;
///   - a class with at least two different samples but no test sample gets the one with the
///     smallest position that is not in `keep_in_train` and has no duplicate in another class.
///
/// Only these corrections depend on the other samples of the class. Test splits are nested in
/// `test_fraction`. REQUIRES: labels >= 0.
SplitIndices hash_split(const std::vector<SampleId>& ids, const std::vector<int64_t>& labels,
                        const HashSplitOptions& options);

}  // namespace projnce::dataset
