#pragma once

#include <torch/types.h>

#include <cstdint>

#include "projnce/kernel/nearest_rows.h"

namespace projnce::eval {

/// Options of nearest_neighbors.
struct NearestNeighborsOptions {
  /// Number of neighbors per query: 1 .. references, minus 1 with exclude_self.
  int64_t neighbors = 1;
  /// Dot products of L2-normalized rows are cosines.
  kernel::Similarity similarity = kernel::Similarity::kDotProduct;
  /// If true, the queries are the first references, and none is its own neighbor.
  bool exclude_self = false;
};

/// The nearest references of each query.
struct Neighbors {
  torch::Tensor indices;  // [Q, k], int64: rows of the references, nearest first
  torch::Tensor scores;   // [Q, k]: descending dot products or ascending distances
};

/// Finds the nearest references [R, D] of each query [Q, D]; no gradient. Never stores Q x R. On
/// the CPU (float32, float64), ties are ordered by index and distances are exact to rounding; on
/// other devices, the order of ties is unspecified. Throws if a row is not finite.
Neighbors nearest_neighbors(const torch::Tensor& queries, const torch::Tensor& references,
                            const NearestNeighborsOptions& options);

/// nearest_neighbors with LibTorch operators, on any device, in batches of queries.
Neighbors nearest_neighbors_by_operators(const torch::Tensor& queries,
                                         const torch::Tensor& references,
                                         const NearestNeighborsOptions& options);

/// Options of knn_scores.
struct KnnOptions {
  int64_t neighbors = 20;     ///< number of voting neighbors: 1 .. rows
  double temperature = 0.07;  ///< the weight of a vote is e^{cosine / temperature}
};

/// Weighted k-nearest-neighbor votes by cosine: rows [N, D] with labels [N] in 0 .. num_classes -
/// 1, queries [Q, D] -> class probabilities [Q, C] that sum to 1.
torch::Tensor knn_scores(const torch::Tensor& rows, const torch::Tensor& labels,
                         int64_t num_classes, const torch::Tensor& queries,
                         const KnnOptions& options = {});

}  // namespace projnce::eval
