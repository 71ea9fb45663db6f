#include "projnce/eval/retrieval.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/eval/nearest_neighbors.h"
#include "projnce/information/entropy.h"
#include "projnce/projection/class_groups.h"

namespace projnce::eval {

namespace {

constexpr int64_t kListEntries = 1 << 23;  // maximum number of neighbors in memory: about 100 MB
const std::vector<int64_t> kRanks = {1, 2, 4, 8};

/// Ranked references of one query.
struct RankedHits {
  const int64_t* neighbors;
  int64_t count;
  const int64_t* labels;  // of the references
  int64_t own_label;
  int64_t self;  // index of the query among the references, to be excluded; -1 if none
};

/// Sums over queries of the metrics in Retrieval.
class RetrievalSums {
 public:
  RetrievalSums() : recall_(kRanks.size(), 0) {}

  /// `wanted` is the number of relevant references, at least 1.
  void add(const RankedHits& found, int64_t wanted) {
    int64_t rank = 0;
    int64_t hits = 0;
    int64_t first_hit = found.count + 1;
    double precisions = 0;
    const int64_t ranks = std::max(wanted, kRanks.back());
    for (int64_t i = 0; i < found.count && rank < ranks; ++i) {
      if (found.neighbors[i] == found.self) continue;
      ++rank;
      if (found.labels[found.neighbors[i]] != found.own_label) continue;
      first_hit = std::min(first_hit, rank);
      if (rank > wanted) break;
      ++hits;
      precisions += static_cast<double>(hits) / static_cast<double>(rank);
    }
    ++queries_;
    r_precision_ += static_cast<double>(hits) / static_cast<double>(wanted);
    map_ += precisions / static_cast<double>(wanted);
    for (size_t k = 0; k < kRanks.size(); ++k) recall_[k] += first_hit <= kRanks[k] ? 1 : 0;
  }

  Retrieval means() const {
    const double n = static_cast<double>(std::max<int64_t>(queries_, 1));
    Retrieval result{.ranks = kRanks,
                     .recall = recall_,
                     .r_precision = r_precision_ / n,
                     .map_at_r = map_ / n,
                     .queries = queries_};
    for (auto& value : result.recall) value /= n;
    return result;
  }

 private:
  std::vector<double> recall_;
  double r_precision_ = 0;
  double map_ = 0;
  int64_t queries_ = 0;
};

/// Number of references of each label.
class LabelCounts {
 public:
  explicit LabelCounts(const torch::Tensor& labels) : counts_(torch::bincount(labels)) {}
  int64_t of(int64_t label) const {
    return label < counts_.size(0) ? counts_.data_ptr<int64_t>()[label] : 0;
  }
  int64_t largest() const { return counts_.max().item<int64_t>(); }

 private:
  torch::Tensor counts_;
};

Retrieval retrieve(const torch::Tensor& queries, const torch::Tensor& query_labels,
                   const torch::Tensor& references, const torch::Tensor& reference_labels,
                   bool among_themselves) {
  const torch::NoGradGuard no_gradient;
  const LabelCounts available(reference_labels);
  const auto units = projection::unit_rows(references).contiguous();
  const auto wanted_labels = query_labels.contiguous();
  const auto labels = reference_labels.contiguous();
  // One more, because a row retrieves itself.
  const auto neighbors =
      std::min(std::max(available.largest(), kRanks.back()) + 1, references.size(0));
  const auto at_a_time = std::max<int64_t>(kListEntries / neighbors, 64);
  RetrievalSums sums;
  for (int64_t start = 0; start < queries.size(0); start += at_a_time) {
    const auto count = std::min(at_a_time, queries.size(0) - start);
    const auto found = nearest_neighbors(projection::unit_rows(queries.narrow(0, start, count)),
                                         units, {.neighbors = neighbors});
    for (int64_t q = 0; q < count; ++q) {
      const int64_t label = wanted_labels.data_ptr<int64_t>()[start + q];
      const int64_t wanted = available.of(label) - (among_themselves ? 1 : 0);
      if (wanted < 1) continue;
      sums.add({.neighbors = found.indices.data_ptr<int64_t>() + q * neighbors,
                .count = neighbors,
                .labels = labels.data_ptr<int64_t>(),
                .own_label = label,
                .self = among_themselves ? start + q : -1},
               wanted);
    }
  }
  return sums.means();
}

}  // namespace

Retrieval measure_retrieval(const torch::Tensor& rows, const torch::Tensor& labels) {
  return retrieve(rows, labels, rows, labels, /*among_themselves=*/true);
}

Retrieval measure_retrieval(const torch::Tensor& queries, const torch::Tensor& query_labels,
                            const torch::Tensor& references,
                            const torch::Tensor& reference_labels) {
  return retrieve(queries, query_labels, references, reference_labels, /*among_themselves=*/false);
}

namespace {

/// Returns squared distances [N, K], given the squared norms of the rows.
torch::Tensor squared_distances(const torch::Tensor& rows, const torch::Tensor& squares,
                                const torch::Tensor& centers) {
  return (squares.unsqueeze(1) + centers.square().sum(1) - 2 * rows.mm(centers.t())).clamp_min(0);
}

/// Draws a row with probability proportional to its weight.
int64_t draw_row(const torch::Tensor& weights, std::mt19937_64& random) {
  const auto sums = weights.to(torch::kFloat64).cumsum(0);
  const double at =
      std::uniform_real_distribution<double>(0, 1)(random) * sums[sums.size(0) - 1].item<double>();
  const auto found = torch::searchsorted(sums, torch::tensor({at}, torch::kFloat64), false, true);
  return std::min(found.item<int64_t>(), sums.size(0) - 1);
}

/// k-means++: each center is a row drawn with probability proportional to its squared distance to
/// the previous centers.
torch::Tensor spread_centers(const torch::Tensor& rows, const torch::Tensor& squares,
                             int64_t clusters, std::mt19937_64& random) {
  auto nearest = torch::ones({rows.size(0)}, rows.options());
  std::vector<torch::Tensor> centers;
  for (int64_t k = 0; k < clusters; ++k) {
    const auto center = rows.narrow(0, draw_row(nearest, random), 1);
    const auto distance = squared_distances(rows, squares, center).squeeze(1);
    nearest = k == 0 ? distance : torch::minimum(nearest, distance);
    centers.push_back(center);
  }
  return torch::cat(centers);
}

struct Clustering {
  torch::Tensor labels;
  double cost = std::numeric_limits<double>::infinity();
};

Clustering cluster_from(torch::Tensor centers, const torch::Tensor& rows,
                        const torch::Tensor& squares, int64_t max_iterations) {
  Clustering result;
  for (int64_t i = 0; i < max_iterations; ++i) {
    const auto [nearest, labels] = squared_distances(rows, squares, centers).min(1);
    const bool settled = result.labels.defined() && labels.equal(result.labels);
    result = {.labels = labels, .cost = nearest.sum(torch::kFloat64).item<double>()};
    if (settled) break;
    const auto sums = torch::zeros_like(centers).index_add(0, labels, rows);
    const auto counts = torch::bincount(labels, {}, centers.size(0)).unsqueeze(1);
    // An empty cluster keeps its center.
    centers = torch::where(counts > 0, sums / counts.clamp_min(1), centers);
  }
  return result;
}

}  // namespace

torch::Tensor k_means(const torch::Tensor& rows, int64_t clusters, const KMeansOptions& options) {
  if (clusters < 1 || clusters > rows.size(0)) {
    fail("k-means: ", counted(clusters, "cluster"), " of ", counted(rows.size(0), "row"),
         ", expected 1 to ", rows.size(0));
  }
  const torch::NoGradGuard no_gradient;
  const auto squares = rows.square().sum(1);
  std::mt19937_64 random(options.seed);
  Clustering best;
  for (int64_t start = 0; start < options.starts; ++start) {
    const auto found = cluster_from(spread_centers(rows, squares, clusters, random), rows, squares,
                                    options.max_iterations);
    if (!best.labels.defined() || found.cost < best.cost) best = found;
  }
  return best.labels;
}

double normalized_information(const torch::Tensor& a, const torch::Tensor& b) {
  const auto pairs = a * (b.max().item<int64_t>() + 1) + b;
  const double both = information::label_entropy(a) + information::label_entropy(b);
  if (both == 0) return 1;
  return 2 * (both - information::label_entropy(pairs)) / both;
}

}  // namespace projnce::eval
