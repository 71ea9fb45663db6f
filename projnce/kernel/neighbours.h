#pragma once

#include <cstdint>
#include <vector>

#include "projnce/kernel/max_norm_rows.h"

namespace projnce {

// Questions about all pairs of rows under the max norm. Answers are those of double precision:
// pairs are looked at as codes of a byte, and those that may be within a limit are computed.
// Blocks that lie apart, or close together, are decided at once, and a tile of pairs as soon as the
// coordinates in which its blocks differ most show that all are far. Uses all threads; the results
// do not depend on their number.

/// Distance from each row to its k-th nearest other row, 1 <= k < count.
std::vector<double> kth_distances(const MaxNormRows& rows, int64_t k);

/// How many rows, row i itself among them, are closer to row i than limits[i], which is finite.
std::vector<int64_t> count_closer(const MaxNormRows& rows, const std::vector<double>& limits);

}  // namespace projnce
