#pragma once

#include <torch/types.h>

#include "projnce/loss/contrast_rows.h"

namespace projnce {

struct PositiveOptions {
  bool include_self = false;
  bool detach = false;  ///< treat the positives as constants
};

/// Mean score of each anchor with its positives, [N], through class sums in O(N D) because it is
/// linear; 0 for an anchor without positives. Differentiable once.
torch::Tensor mean_positive_score(const ContrastRows& rows, double temperature,
                                  const PositiveOptions& options);

}  // namespace projnce
