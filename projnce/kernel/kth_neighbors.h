#pragma once

#include <cstdint>
#include <vector>

#include "projnce/kernel/max_norm_rows.h"

namespace projnce::kernel {

// Questions about all pairs of rows under the max norm. Answers are those of double precision:
// pairs are looked at as codes of a byte, and those that may be within a limit are computed.
// Blocks that lie apart, or close together, are decided at once, and a tile of pairs as soon as the
// coordinates in which its blocks differ most show that all are far. Uses all threads; the results
// do not depend on their number.

/// What the k nearest other rows of each row tell.
struct KthNeighbors {
  std::vector<double> distances;  ///< to the k-th of them
  /// Rows of its own group, itself among them, that are closer than that; 0 for rows of groups so
  /// small that they share a block.
  std::vector<int64_t> closer_in_group;
};

/// 1 <= k < count.
KthNeighbors kth_neighbors(const MaxNormRows& rows, int64_t k);

enum class CountedPairs {
  kAll,
  /// Without those of two rows of one group, of groups that have blocks of their own: what
  /// KthNeighbors::closer_in_group counts.
  kOtherGroups,
};

/// How many rows, row i itself among them, are closer to row i than limits[i], which is finite.
std::vector<int64_t> count_closer(const MaxNormRows& rows, const std::vector<double>& limits,
                                  CountedPairs pairs = CountedPairs::kAll);

}  // namespace projnce::kernel
