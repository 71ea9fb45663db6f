#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "projnce/loss/contrastive_loss.h"

namespace projnce::testing {

/// Rows of unit norm, float64, the same for the same seed.
torch::Tensor random_unit_rows(int64_t rows, int64_t dim, uint64_t seed);

/// A rotation of the space, [dim, dim].
torch::Tensor random_rotation(int64_t dim, uint64_t seed);

/// Row i of the result is row `order[i]` of the batch; anchors are candidates.
ContrastiveBatch permuted(const ContrastiveBatch& batch, const torch::Tensor& order);

/// The batch as processes would see it that hold `sizes` anchors each and gather all rows.
std::vector<ContrastiveBatch> gathered(const ContrastiveBatch& batch,
                                       const std::vector<int64_t>& sizes);

}  // namespace projnce::testing
