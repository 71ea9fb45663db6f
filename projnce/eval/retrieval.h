#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace projnce::eval {

/// How well samples of a class find each other by cosine, as metric learning reports it. Each
/// average is over the queries that have something to find.
struct Retrieval {
  std::vector<int64_t> ranks;  ///< the k of "recall at k"
  std::vector<double> recall;  ///< share of queries with their class among the k nearest
  double r_precision = 0;      ///< share of the class among the R nearest; R: how many there are
  /// Mean average precision at R: mean over the R nearest of (their rank is the class's own) times
  /// the precision up to that rank.
  double map_at_r = 0;
  int64_t queries = 0;  ///< that had something to find
};

/// Each row looks for its class among the other rows: [N, D], [N].
Retrieval measure_retrieval(const torch::Tensor& rows, const torch::Tensor& labels);

/// Queries [Q, D] look for their class among the references [R, D]. Tiles of products and lists of
/// bounded size: never Q x R in memory.
Retrieval measure_retrieval(const torch::Tensor& queries, const torch::Tensor& query_labels,
                            const torch::Tensor& references, const torch::Tensor& reference_labels);

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

/// Normalized mutual information of two labelings [N]: I(a;b) over the mean of their entropies, 1
/// where they are the same up to names. 1 where both have a single class.
double normalized_information(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace projnce::eval
