#pragma once

#include <cstdint>
#include <vector>

#include "projnce/kernel/max_norm_rows.h"

namespace projnce::kernel {

// Neighbor searches over all pairs of rows under the max norm. Results are exact in double
// precision: pairs are filtered by 8-bit codes, and only those that may be within a limit are
// computed. Pairs of blocks that are far apart or close together are decided at once, and a tile of
// pairs as soon as the most discriminative coordinates show that all of them are too far. Uses all
// threads; the results do not depend on their number.

/// Statistics of the k nearest other rows of each row.
struct KthNeighbors {
  std::vector<double> distances;  ///< distance to the k-th nearest row
  /// Number of rows of the same group, including the row itself, that are closer than that; 0 for
  /// rows of small groups that share a block.
  std::vector<int64_t> closer_in_group;
};

/// REQUIRES: 1 <= k < count.
KthNeighbors kth_neighbors(const MaxNormRows& rows, int64_t k);

enum class CountedPairs {
  kAll,
  /// Excludes pairs within a group that has its own blocks, which are counted by
  /// KthNeighbors::closer_in_group.
  kOtherGroups,
};

/// Counts the rows, including row i, that are closer to row i than limits[i]. REQUIRES: finite
/// limits.
std::vector<int64_t> count_closer(const MaxNormRows& rows, const std::vector<double>& limits,
                                  CountedPairs pairs = CountedPairs::kAll);

}  // namespace projnce::kernel
