#include "projnce/eval/clusters.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <limits>
#include <random>

#include "projnce/core/error.h"
#include "projnce/information/entropy.h"

namespace projnce {

namespace {

/// Squared distances [N, K] of rows whose squared lengths are known.
torch::Tensor squared_distances(const torch::Tensor& rows, const torch::Tensor& squares,
                                const torch::Tensor& centres) {
  return (squares.unsqueeze(1) + centres.square().sum(1) - 2 * rows.mm(centres.t())).clamp_min(0);
}

/// The row that a uniform draw from the weights falls on.
int64_t draw_row(const torch::Tensor& weights, std::mt19937_64& random) {
  const auto sums = weights.to(torch::kFloat64).cumsum(0);
  const double at =
      std::uniform_real_distribution<double>(0, 1)(random) * sums[sums.size(0) - 1].item<double>();
  const auto found = torch::searchsorted(sums, torch::tensor({at}, torch::kFloat64), false, true);
  return std::min(found.item<int64_t>(), sums.size(0) - 1);
}

/// k-means++: each next centre is a row, drawn by its squared distance to those before.
torch::Tensor spread_centres(const torch::Tensor& rows, const torch::Tensor& squares,
                             int64_t clusters, std::mt19937_64& random) {
  auto nearest = torch::ones({rows.size(0)}, rows.options());
  std::vector<torch::Tensor> centres;
  for (int64_t k = 0; k < clusters; ++k) {
    const auto centre = rows.narrow(0, draw_row(nearest, random), 1);
    const auto distance = squared_distances(rows, squares, centre).squeeze(1);
    nearest = k == 0 ? distance : torch::minimum(nearest, distance);
    centres.push_back(centre);
  }
  return torch::cat(centres);
}

struct Clustering {
  torch::Tensor labels;
  double cost = std::numeric_limits<double>::infinity();
};

Clustering cluster_from(torch::Tensor centres, const torch::Tensor& rows,
                        const torch::Tensor& squares, int64_t max_iterations) {
  Clustering result;
  for (int64_t i = 0; i < max_iterations; ++i) {
    const auto [nearest, labels] = squared_distances(rows, squares, centres).min(1);
    const bool settled = result.labels.defined() && labels.equal(result.labels);
    result = {.labels = labels, .cost = nearest.sum(torch::kFloat64).item<double>()};
    if (settled) break;
    const auto sums = torch::zeros_like(centres).index_add(0, labels, rows);
    const auto counts = torch::bincount(labels, {}, centres.size(0)).unsqueeze(1);
    // A cluster that lost all its rows stays where it was.
    centres = torch::where(counts > 0, sums / counts.clamp_min(1), centres);
  }
  return result;
}

}  // namespace

torch::Tensor k_means(const torch::Tensor& rows, int64_t clusters, const KMeansOptions& options) {
  if (clusters < 1 || clusters > rows.size(0)) {
    fail("k-means: ", clusters, " clusters of ", rows.size(0), " rows, expected 1 to ",
         rows.size(0));
  }
  const torch::NoGradGuard no_gradient;
  const auto squares = rows.square().sum(1);
  std::mt19937_64 random(options.seed);
  Clustering best;
  for (int64_t start = 0; start < options.starts; ++start) {
    const auto found = cluster_from(spread_centres(rows, squares, clusters, random), rows, squares,
                                    options.max_iterations);
    if (!best.labels.defined() || found.cost < best.cost) best = found;
  }
  return best.labels;
}

double normalized_information(const torch::Tensor& a, const torch::Tensor& b) {
  const auto pairs = a * (b.max().item<int64_t>() + 1) + b;
  const double both = label_entropy(a) + label_entropy(b);
  if (both == 0) return 1;
  return 2 * (both - label_entropy(pairs)) / both;
}

}  // namespace projnce
