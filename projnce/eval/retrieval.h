#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace projnce::eval {

/// Retrieval metrics by cosine, as reported in metric learning. Each is averaged over the queries
/// that have at least one relevant reference.
struct Retrieval {
  std::vector<int64_t> ranks;  ///< the k of "recall at k"
  std::vector<double> recall;  ///< recall at k: fraction of queries with a hit among the k nearest
  double r_precision = 0;      ///< precision among the R nearest, R = number of relevant references
  /// Mean average precision at R: mean over the R nearest of (their rank is the class's own) times
  /// the precision up to that rank.
  double map_at_r = 0;
  int64_t queries = 0;  ///< number of queries with relevant references
};

/// Uses each row as a query against all other rows: [N, D], [N].
Retrieval measure_retrieval(const torch::Tensor& rows, const torch::Tensor& labels);

/// Retrieves references [R, D] (gallery) for queries [Q, D]. Never stores Q x R.
Retrieval measure_retrieval(const torch::Tensor& queries, const torch::Tensor& query_labels,
                            const torch::Tensor& references, const torch::Tensor& reference_labels);

/// Options of k_means.
struct KMeansOptions {
  int64_t max_iterations = 100;  ///< maximum iterations per initialization
  int64_t starts = 3;            ///< number of initializations; the one with least inertia is used
  uint64_t seed = 0;             ///< seed of the initializations
};

/// Clusters rows [N, D] by k-means with k-means++ initialization: [N], int64 in 0 .. clusters - 1.
/// REQUIRES: 1 <= clusters <= N.
torch::Tensor k_means(const torch::Tensor& rows, int64_t clusters,
                      const KMeansOptions& options = {});

/// Normalized mutual information (NMI) of two labelings [N]: I(a;b) divided by the mean of their
/// entropies; 1 if they are equal up to renaming, or if both have a single class.
double normalized_information(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace projnce::eval
