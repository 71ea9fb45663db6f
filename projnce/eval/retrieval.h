#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace projnce {

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

}  // namespace projnce
