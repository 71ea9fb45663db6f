#pragma once

#include <cstdint>
#include <vector>

#include "projnce/dataset/labels.h"
#include "projnce/dataset/split/sample_id.h"

namespace projnce::dataset {

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
