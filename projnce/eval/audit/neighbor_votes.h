#pragma once

#include <vector>

#include "projnce/eval/audit/fold_data.h"

namespace projnce {

/// Logarithms of the smoothed votes of the 5, 10, 20 and 40 nearest other rows for each class,
/// [N, C] each: log((votes_c + share_c) / (k + 1)), with share_c the class's share of all samples.
/// No row votes for itself. Of many rows some vote for all.
std::vector<std::vector<float>> neighbor_log_votes(const FoldData& data);

}  // namespace projnce
