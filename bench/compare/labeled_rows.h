#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::bench {

/// What all contestants of a case are given.
struct LabeledRows {
  torch::Tensor x;       // [N, D], float32, requires a gradient; not normalized
  torch::Tensor labels;  // [N], int64, 0..C-1
};

/// Two views of N/2 samples, all first views before all second: a class's center plus noise of
/// `spread` in each coordinate, centers having length sqrt(D). The same for the same arguments.
/// REQUIRES: N is even and N/2 >= C, so that every class has at least two rows.
LabeledRows make_labeled_rows(int64_t rows, int64_t dims, int64_t classes, double spread = 2);

/// x / |x|, row by row.
torch::Tensor unit(const torch::Tensor& x);

}  // namespace projnce::bench
