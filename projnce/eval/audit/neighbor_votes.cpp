#include "projnce/eval/audit/neighbor_votes.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "projnce/eval/nearest_neighbors.h"

namespace projnce {

namespace {

constexpr std::array<int64_t, 4> kNeighbors = {5, 10, 20, 40};
constexpr int64_t kMaxVoters = 30000;  // bounds the time, which is rows times voters

/// Indices of evenly spaced rows: all of them if there are few.
torch::Tensor choose_voters(int64_t rows) {
  const int64_t count = std::min(rows, kMaxVoters);
  return torch::arange(count, torch::kLong) * rows / count;
}

/// The nearest voters of each row without the row itself, [N, k], nearest first.
torch::Tensor nearest_voters(const FoldData& data, int64_t k) {
  const auto voters = choose_voters(data.size()).to(torch::kLong);
  const auto nearest = nearest_neighbors(data.rows, data.rows.index_select(0, voters),
                                         {.neighbors = k + 1, .nearness = Nearness::kDistance});
  const auto found = voters.index({nearest.indices}).contiguous();  // [N, k + 1]
  auto kept = torch::empty({data.size(), k}, torch::kLong);
  const auto from = found.accessor<int64_t, 2>();
  auto to = kept.accessor<int64_t, 2>();
  for (int64_t i = 0; i < data.size(); ++i) {
    int64_t count = 0;
    for (int64_t j = 0; j <= k && count < k; ++j) {
      if (from[i][j] != i) to[i][count++] = from[i][j];
    }
  }
  return kept;
}

}  // namespace

std::vector<std::vector<float>> neighbor_log_votes(const FoldData& data) {
  const int64_t most = std::min({kNeighbors.back(), data.size() - 1, kMaxVoters - 1});
  const auto nearest = nearest_voters(data, most);
  const auto voters = nearest.accessor<int64_t, 2>();
  const int64_t classes = data.classes();
  std::vector<float> shares;
  for (const int64_t count : data.class_counts) {
    shares.push_back(static_cast<float>(count) / static_cast<float>(data.size()));
  }
  std::vector<std::vector<float>> all;
  for (const int64_t k : kNeighbors) {
    if (k > most) break;
    auto& votes = all.emplace_back(static_cast<size_t>(data.size() * classes));
    for (int64_t i = 0; i < data.size(); ++i) {
      float* row = votes.data() + i * classes;
      std::copy(shares.begin(), shares.end(), row);
      for (int64_t j = 0; j < k; ++j) row[data.labels[static_cast<size_t>(voters[i][j])]] += 1;
      for (int64_t c = 0; c < classes; ++c) row[c] = std::log(row[c] / static_cast<float>(k + 1));
    }
  }
  return all;
}

}  // namespace projnce
