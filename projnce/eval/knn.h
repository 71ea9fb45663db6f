#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce {

/// How neighbours vote.
struct KnnOptions {
  int64_t neighbors = 20;     ///< that vote: 1 .. rows
  double temperature = 0.07;  ///< a vote weighs e^{cosine / temperature}
};

/// Weighted votes of the nearest labelled rows by cosine: rows [N, D] with labels [N] in
/// 0 .. num_classes - 1, queries [Q, D] -> shares [Q, C] that sum to 1.
torch::Tensor knn_scores(const torch::Tensor& rows, const torch::Tensor& labels,
                         int64_t num_classes, const torch::Tensor& queries,
                         const KnnOptions& options = {});

}  // namespace projnce
