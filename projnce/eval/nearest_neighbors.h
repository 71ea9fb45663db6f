#pragma once

#include <torch/types.h>

#include <cstdint>

#include "projnce/kernel/nearest_rows.h"

namespace projnce::eval {

/// Which neighbors are asked for.
struct NearestNeighborsOptions {
  /// How many for each query: 1 .. references, less itself where that is left out.
  int64_t neighbors = 1;
  /// Dot products of unit rows are cosines.
  kernel::Similarity similarity = kernel::Similarity::kDotProduct;
  /// Queries are the first of the references; none is its own neighbor.
  bool exclude_self = false;
};

/// The nearest references of each query.
struct Neighbors {
  torch::Tensor indices;  // [Q, k], int64: rows of the references, the nearest first
  torch::Tensor scores;   // [Q, k]: dot products, falling, or distances, rising
};

/// The nearest of the references [R, D] to each query [Q, D]; no gradient. Never stores Q x R.
/// On the CPU (float32, float64) ties go to the lower index and distances are exact to rounding;
/// on other devices ties may fall either way. Throws where a row is not finite.
Neighbors nearest_neighbors(const torch::Tensor& queries, const torch::Tensor& references,
                            const NearestNeighborsOptions& options);

/// The same by LibTorch's operators, on any device, some queries at a time.
Neighbors nearest_neighbors_by_operators(const torch::Tensor& queries,
                                         const torch::Tensor& references,
                                         const NearestNeighborsOptions& options);

/// How neighbors vote.
struct KnnOptions {
  int64_t neighbors = 20;     ///< that vote: 1 .. rows
  double temperature = 0.07;  ///< a vote weighs e^{cosine / temperature}
};

/// Weighted votes of the nearest labeled rows by cosine: rows [N, D] with labels [N] in
/// 0 .. num_classes - 1, queries [Q, D] -> shares [Q, C] that sum to 1.
torch::Tensor knn_scores(const torch::Tensor& rows, const torch::Tensor& labels,
                         int64_t num_classes, const torch::Tensor& queries,
                         const KnnOptions& options = {});

}  // namespace projnce::eval
