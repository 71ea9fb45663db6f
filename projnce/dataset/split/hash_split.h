#pragma once

#include <cstdint>
#include <vector>

#include "projnce/dataset/labels.h"
#include "projnce/dataset/split/sample_id.h"

namespace projnce::dataset {

struct HashSplitOptions {
  double test_fraction = 0.2;  ///< expected share of the test part; above 0, below 1
  uint64_t seed = 0;           ///< other seeds give other, independent splits
  /// Samples that stay in the training part; may be null.
  const SampleIdSet* keep_in_train = nullptr;
};

/// Number in [0, 1) that decides the part of a sample: the test part is what lies below
/// `test_fraction`.
double split_position(const SampleId& id, uint64_t seed);

/// Divides samples by their identities; the indices ascend. A sample's part depends on its own
/// identity alone, so adding, removing, renaming and relabeling other samples does not move it, and
/// exact duplicates are in the same part. Two corrections for small classes:
///
///   - a class without a training sample gets the one with the largest position;
///   - a class of two or more different samples without a test sample gives the one with the
///     smallest position that is not in `keep_in_train` and has no duplicate in another class.
///
/// Only these corrections can change when the class does. A larger `test_fraction` adds samples to
/// a smaller one's test part. Labels are 0 or more.
SplitIndices hash_split(const std::vector<SampleId>& ids, const std::vector<int64_t>& labels,
                        const HashSplitOptions& options);

}  // namespace projnce::dataset
