#pragma once

#include <ATen/core/Generator.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "projnce/loss/loss.h"

namespace projnce::testing {

// Random tensors that depend only on `seed`; the global generator is not used.

at::Generator seeded_generator(uint64_t seed);

/// N(0, 1), float64, [rows, columns].
torch::Tensor random_normal(int64_t rows, int64_t columns, uint64_t seed);

/// Uniform in [0, 1), float64, [rows, columns].
torch::Tensor random_uniform(int64_t rows, int64_t columns, uint64_t seed);

/// Labels in 0 .. classes-1, int64, [rows].
torch::Tensor random_labels(int64_t rows, int64_t classes, uint64_t seed);

/// Rows of unit norm, float64.
torch::Tensor random_unit_rows(int64_t rows, int64_t dim, uint64_t seed);

/// A random rotation matrix, [dim, dim].
torch::Tensor random_rotation(int64_t dim, uint64_t seed);

/// Permutes a batch: row i of the result is row `order[i]`. Anchors are candidates.
loss::ContrastiveBatch permuted(const loss::ContrastiveBatch& batch, const torch::Tensor& order);

/// Splits a batch as seen by processes that hold `sizes` anchors each and gather all rows.
std::vector<loss::ContrastiveBatch> gathered(const loss::ContrastiveBatch& batch,
                                             const std::vector<int64_t>& sizes);

}  // namespace projnce::testing
