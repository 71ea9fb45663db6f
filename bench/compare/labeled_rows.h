#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::bench {

/// Input of all contestants of a case.
struct LabeledRows {
  torch::Tensor x;       // [N, D], float32, requires a gradient; not normalized
  torch::Tensor labels;  // [N], int64, 0..C-1
};

/// Makes two views of N/2 samples, first views before second views: class center plus Gaussian
/// noise with standard deviation `spread`; centers have norm sqrt(D). Deterministic. REQUIRES: N is
/// even and N/2 >= C, so that every class has at least two rows.
LabeledRows make_labeled_rows(int64_t rows, int64_t dims, int64_t classes, double spread = 2);

/// Returns x / |x|, row by row.
torch::Tensor unit(const torch::Tensor& x);

}  // namespace projnce::bench
