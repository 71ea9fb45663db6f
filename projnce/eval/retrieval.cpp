#include "projnce/eval/retrieval.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <numeric>

#include "projnce/eval/nearest_neighbors.h"
#include "projnce/projection/class_groups.h"

namespace projnce {

namespace {

constexpr int64_t kListEntries = 1 << 23;  // neighbours in memory at a time: about 100 MB
const std::vector<int64_t> kRanks = {1, 2, 4, 8};

/// What one query found, in order.
struct RankedHits {
  const int64_t* neighbors;
  int64_t count;
  const int64_t* labels;  // of the references
  int64_t own_label;
  int64_t self;  // a reference that does not count; -1: none
};

/// Sums over queries of what Retrieval averages.
class RetrievalSums {
 public:
  RetrievalSums() : recall_(kRanks.size(), 0) {}

  /// `wanted`: how many references there are to find, at least 1.
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

/// References of each label that a query may find.
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
  const auto units = unit_rows(references).contiguous();
  const auto wanted_labels = query_labels.contiguous();
  const auto labels = reference_labels.contiguous();
  // One more, since a row finds itself.
  const auto neighbors =
      std::min(std::max(available.largest(), kRanks.back()) + 1, references.size(0));
  const auto at_a_time = std::max<int64_t>(kListEntries / neighbors, 64);
  RetrievalSums sums;
  for (int64_t start = 0; start < queries.size(0); start += at_a_time) {
    const auto count = std::min(at_a_time, queries.size(0) - start);
    const auto found = nearest_neighbors(unit_rows(queries.narrow(0, start, count)), units,
                                         {.neighbors = neighbors});
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

}  // namespace projnce
