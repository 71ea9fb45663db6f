#pragma once

#include <torch/types.h>

#include "projnce/loss/grouped_batch.h"

namespace projnce::loss {

struct PositiveOptions {
  bool include_self = false;  ///< if true, the anchor is one of its positives
  bool detach = false;        ///< if true, the positives are constants
};

/// mean_{p in P(i)} z_i.z_p/t of each anchor with its positives, [N]; 0 for an anchor without
/// positives. Linear in the positives, so computed from class sums in O(N D). Differentiable once.
torch::Tensor mean_positive_score(const GroupedBatch& batch, double temperature,
                                  const PositiveOptions& options);

}  // namespace projnce::loss
