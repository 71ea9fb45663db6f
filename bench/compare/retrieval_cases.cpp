// Nearest neighbors of 10 000 queries among 50 000 rows, and MAP@R, compared with mm and topk on
// chunks of queries, the usual PyTorch implementation.
#include <torch/types.h>

#include <algorithm>

#include "bench/compare/cases.h"
#include "bench/compare/gradient_run.h"
#include "projnce/eval/nearest_neighbors.h"
#include "projnce/eval/retrieval.h"

namespace projnce::bench {

namespace {

constexpr int64_t kReferences = 50000;
constexpr int64_t kQueries = 10000;
constexpr int64_t kClasses = 10;
constexpr int64_t kNeighbors = 20;
constexpr int64_t kChunk = 1000;  // of queries: 200 MB of scores

struct QueriesAndReferences {
  torch::Tensor queries;
  torch::Tensor query_labels;
  torch::Tensor references;
  torch::Tensor labels;
};

/// The first rows are references, the others queries.
QueriesAndReferences draw_references(int64_t references) {
  const int64_t queries = std::min(kQueries, references / 5);
  const auto data = make_labeled_rows(references + queries, 128, kClasses, /*spread=*/1);
  const auto rows = unit(data.x.detach());
  return {.queries = rows.narrow(0, references, queries),
          .query_labels = data.labels.narrow(0, references, queries),
          .references = rows.narrow(0, 0, references).contiguous(),
          .labels = data.labels.narrow(0, 0, references).contiguous()};
}

template <class Chunk>
double sum_over_chunks(const QueriesAndReferences& data, const Chunk& chunk) {
  double sum = 0;
  for (int64_t start = 0; start < data.queries.size(0); start += kChunk) {
    const auto count = std::min(kChunk, data.queries.size(0) - start);
    sum += chunk(start, count);
  }
  return sum;
}

double plain_neighbors(const QueriesAndReferences& data) {
  return sum_over_chunks(data, [&](int64_t start, int64_t count) {
    const auto scores = data.queries.narrow(0, start, count).mm(data.references.t());
    return std::get<0>(scores.topk(kNeighbors, 1)).sum(torch::kFloat64).item<double>();
  });
}

double plain_map_at_r(const QueriesAndReferences& data) {
  const auto counts = torch::bincount(data.labels);
  const auto most = counts.max().item<int64_t>();
  const auto ranks = torch::arange(1, most + 1).to(torch::kFloat64);
  const double sum = sum_over_chunks(data, [&](int64_t start, int64_t count) {
    const auto wanted_labels = data.query_labels.narrow(0, start, count);
    const auto scores = data.queries.narrow(0, start, count).mm(data.references.t());
    const auto best = std::get<1>(scores.topk(most, 1));
    const auto wanted = counts.index_select(0, wanted_labels).to(torch::kFloat64).unsqueeze(1);
    auto hits =
        data.labels.index_select(0, best.flatten()).view_as(best).eq(wanted_labels.unsqueeze(1));
    hits = hits.logical_and(ranks.unsqueeze(0) <= wanted);
    const auto precision = hits.to(torch::kFloat64).cumsum(1) / ranks;
    return ((precision * hits).sum(1, true) / wanted).sum().item<double>();
  });
  return sum / static_cast<double>(data.queries.size(0));
}

Case retrieval_case(const std::string& name, int64_t references) {
  Case task = {.name = name, .rows = references, .classes = kClasses};
  task.note = "queries: a fifth of N; no gradient";
  task.flops = 2.0 * static_cast<double>(references) *
               static_cast<double>(std::min(kQueries, references / 5)) * 128;
  task.round_limit = 3;
  return task;
}

std::vector<Contestant> knn_contestants(const Case& task) {
  const auto data = draw_references(task.rows);
  const auto ours = [data] {
    const auto found =
        eval::nearest_neighbors(data.queries, data.references, {.neighbors = kNeighbors});
    return found.scores.sum(torch::kFloat64).item<double>();
  };
  return {{.name = "ours", .computes = task.name, .run = [=] { return timed(ours); }},
          {.name = "mm + topk", .computes = task.name, .run = [=] {
             return timed([&] { return plain_neighbors(data); });
           }}};
}

std::vector<Contestant> map_contestants(const Case& task) {
  const auto data = draw_references(task.rows);
  const auto ours = [data] {
    return eval::measure_retrieval(data.queries, data.query_labels, data.references, data.labels)
        .map_at_r;
  };
  return {{.name = "ours", .computes = task.name, .run = [=] { return timed(ours); }},
          {.name = "mm + topk", .computes = task.name, .run = [=] {
             return timed([&] { return plain_map_at_r(data); });
           }}};
}

}  // namespace

std::vector<Case> retrieval_cases(Arena& arena) {
  std::vector<Case> cases;
  for (const auto rows : arena.sizes({kReferences})) {
    auto knn = retrieval_case("knn", rows);
    knn.contestants = [knn] { return knn_contestants(knn); };
    cases.push_back(knn);
    auto map = retrieval_case("map-at-r", rows);
    map.contestants = [map] { return map_contestants(map); };
    cases.push_back(map);
  }
  return cases;
}

}  // namespace projnce::bench
