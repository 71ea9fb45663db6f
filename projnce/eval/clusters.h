#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce {

/// How clusters are looked for.
struct KMeansOptions {
  int64_t max_iterations = 100;  ///< of each start; fewer where nothing moves any more
  int64_t starts = 3;            ///< the one with the smallest sum of squared distances wins
  uint64_t seed = 0;             ///< draws the starts
};

/// Clusters of rows [N, D] by k-means with k-means++ starts: [N], int64 in 0 .. clusters - 1.
/// 1 <= clusters <= N.
torch::Tensor k_means(const torch::Tensor& rows, int64_t clusters,
                      const KMeansOptions& options = {});

/// Normalised mutual information of two labellings [N]: I(a;b) over the mean of their entropies, 1
/// where they are the same up to names. 1 where both have a single class.
double normalized_information(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace projnce
