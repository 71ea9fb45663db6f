#include "projnce/eval/nearest_neighbors.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/projection/class_groups.h"

namespace projnce::eval {

namespace {

constexpr int64_t kQueriesAtATime = 256;
/// Mode of torch::cdist without the matrix product, which is inaccurate for small distances.
constexpr int64_t kExactCdist = 2;

void check_neighbor_rows(const torch::Tensor& rows, const char* which) {
  if (rows.numel() == 0) return;
  // Also rejects values whose sum of squares would overflow.
  const double limit = rows.scalar_type() == torch::kFloat64 ? 1e150 : 1e17;
  const auto largest = rows.abs().max().item<double>();
  if (!(largest < limit)) {
    fail("nearest neighbors: a ", which, " has the value ", largest, ", expected values below ",
         limit);
  }
}

void check_neighbors(const torch::Tensor& queries, const torch::Tensor& references,
                     const NearestNeighborsOptions& options) {
  TORCH_CHECK(queries.dim() == 2 && references.dim() == 2 &&
                  queries.size(1) == references.size(1) &&
                  queries.scalar_type() == references.scalar_type(),
              "queries ", queries.sizes(), " and references ", references.sizes(),
              " must be matrices of the same type and width");
  TORCH_CHECK(!options.exclude_self || queries.size(0) <= references.size(0),
              "exclude_self: the queries must be the first references");
  const int64_t available = references.size(0) - (options.exclude_self ? 1 : 0);
  if (options.neighbors < 1 || options.neighbors > available) {
    fail(Hint{"use fewer neighbors or more rows"},
         "nearest neighbors: neighbors = ", options.neighbors, ", expected 1 to the ",
         counted(available, "available row"));
  }
  check_neighbor_rows(queries, "query");
  check_neighbor_rows(references, "reference");
}

template <class T>
void fill_neighbors(const torch::Tensor& queries, const torch::Tensor& references,
                    const NearestNeighborsOptions& options, const Neighbors& out) {
  kernel::nearest_rows<T>({.queries = queries.data_ptr<T>(),
                           .num_queries = queries.size(0),
                           .references = references.data_ptr<T>(),
                           .num_references = references.size(0),
                           .dim = queries.size(1),
                           .neighbors = options.neighbors,
                           .similarity = options.similarity,
                           .exclude_self = options.exclude_self},
                          out.indices.data_ptr<int64_t>(), out.scores.data_ptr<T>());
}

/// Neighbors of queries start .. start + count - 1.
Neighbors neighbors_of_some(const torch::Tensor& queries, const torch::Tensor& references,
                            int64_t start, int64_t count, const NearestNeighborsOptions& options) {
  const bool by_distance = options.similarity == kernel::Similarity::kDistance;
  const auto some = queries.narrow(0, start, count);
  auto scores = by_distance ? torch::cdist(some, references, 2.0, kExactCdist)
                            : some.mm(references.t());  // [count, R]
  if (options.exclude_self) {
    const auto never = std::numeric_limits<double>::infinity() * (by_distance ? 1 : -1);
    scores.diagonal(start).fill_(never);
  }
  const auto [best, indices] =
      scores.topk(options.neighbors, /*dim=*/1, /*largest=*/!by_distance, /*sorted=*/true);
  return {.indices = indices, .scores = best};
}

}  // namespace

Neighbors nearest_neighbors(const torch::Tensor& queries, const torch::Tensor& references,
                            const NearestNeighborsOptions& options) {
  const auto type = queries.scalar_type();
  if (!queries.device().is_cpu() || (type != torch::kFloat32 && type != torch::kFloat64)) {
    return nearest_neighbors_by_operators(queries, references, options);
  }
  check_neighbors(queries, references, options);
  const torch::NoGradGuard no_gradient;
  const std::vector<int64_t> shape = {queries.size(0), options.neighbors};
  const Neighbors out{.indices = torch::empty(shape, torch::kInt64),
                      .scores = torch::empty(shape, queries.options())};
  AT_DISPATCH_FLOATING_TYPES(type, "nearest_neighbors", [&] {
    fill_neighbors<scalar_t>(queries.contiguous(), references.contiguous(), options, out);
  });
  return out;
}

Neighbors nearest_neighbors_by_operators(const torch::Tensor& queries,
                                         const torch::Tensor& references,
                                         const NearestNeighborsOptions& options) {
  check_neighbors(queries, references, options);
  const torch::NoGradGuard no_gradient;
  const std::vector<int64_t> shape = {queries.size(0), options.neighbors};
  const Neighbors out{.indices = torch::empty(shape, queries.options().dtype(torch::kInt64)),
                      .scores = torch::empty(shape, queries.options())};
  for (int64_t start = 0; start < queries.size(0); start += kQueriesAtATime) {
    const auto count = std::min(kQueriesAtATime, queries.size(0) - start);
    const auto some = neighbors_of_some(queries, references, start, count, options);
    out.indices.narrow(0, start, count).copy_(some.indices);
    out.scores.narrow(0, start, count).copy_(some.scores);
  }
  return out;
}

torch::Tensor knn_scores(const torch::Tensor& rows, const torch::Tensor& labels,
                         int64_t num_classes, const torch::Tensor& queries,
                         const KnnOptions& options) {
  const torch::NoGradGuard no_gradient;
  const auto [indices, cosines] =
      nearest_neighbors(projection::unit_rows(queries), projection::unit_rows(rows),
                        {.neighbors = options.neighbors});
  // The nearest is first, so no exponential exceeds 1.
  const auto weights = ((cosines - cosines.narrow(1, 0, 1)) / options.temperature).exp();
  const auto voters = labels.index_select(0, indices.flatten()).view_as(indices);
  const auto votes = torch::zeros({queries.size(0), num_classes}, weights.options())
                         .scatter_add(1, voters, weights);
  return votes / weights.sum(1, /*keepdim=*/true);
}

}  // namespace projnce::eval
