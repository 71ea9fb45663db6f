#include "projnce/eval/tsne/tsne.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/eval/pca.h"
#include "projnce/eval/tsne/affinities.h"
#include "projnce/eval/tsne/map_descent.h"

namespace projnce::eval {

double effective_perplexity(double perplexity, int64_t rows) {
  constexpr double kDefaultPerplexity = 30;
  if (perplexity != 0) return perplexity;
  return std::clamp(static_cast<double>(rows - 1) / 3, 1.0, kDefaultPerplexity);
}

void check_tsne_options(const TsneOptions& options, int64_t rows) {
  constexpr int64_t kFewestRows = 4;  // allows a perplexity of 1
  if (rows < kFewestRows)
    fail("t-SNE: ", counted(rows, "row"), ", expected at least ", kFewestRows);
  const double largest = static_cast<double>(rows - 1) / 3;
  const double perplexity = effective_perplexity(options.perplexity, rows);
  if (!(perplexity >= 1 && perplexity <= largest)) {
    const double offered = std::floor(largest * 100) / 100;
    fail(Hint{concat("the maximum perplexity for ", counted(rows, "row"), " is ", offered)},
         "t-SNE: the perplexity is ", perplexity, ", expected 1 to ", offered);
  }
  if (options.iterations < 0 || options.exaggeration_iterations < 0) {
    fail("t-SNE: ", counted(options.iterations, "iteration"), " and ",
         options.exaggeration_iterations, " with exaggeration, expected at least 0");
  }
  if (!(options.exaggeration >= 1 && std::isfinite(options.exaggeration))) {
    fail("t-SNE: the exaggeration is ", options.exaggeration, ", expected at least 1");
  }
  if (!(options.learning_rate >= 0 && std::isfinite(options.learning_rate))) {
    fail("t-SNE: the learning rate is ", options.learning_rate,
         ", expected a positive number, or 0 to choose it automatically");
  }
  if (!(options.theta >= 0 && options.theta <= 1)) {
    fail("t-SNE: theta is ", options.theta, ", expected 0 (exact) to 1 (coarse)");
  }
}

namespace {

constexpr double kStartScale = 1e-4;
/// Random perturbation relative to the scale: separates equal rows and points on a line.
constexpr double kJitter = 1e-2;

/// Returns centered float32 rows for the neighbor search, which is most accurate near the origin.
torch::Tensor tsne_rows(const torch::Tensor& rows) {
  TORCH_CHECK(rows.dim() == 2, "t-SNE: rows must be a matrix, got ", rows.sizes());
  return centered_rows(rows).to(torch::kFloat32).contiguous();
}

Affinities affinities_of(const torch::Tensor& rows, double perplexity) {
  return make_affinities(rows.data_ptr<float>(), rows.size(0), rows.size(1), perplexity);
}

std::vector<float> floats_of(const torch::Tensor& positions) {
  const auto flat = positions.to(torch::kFloat32).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

/// Returns the first two principal components, scaled to a standard deviation of 1 of the first.
torch::Tensor principal_start(const torch::Tensor& rows) {
  const auto components = std::min<int64_t>({2, rows.size(0), rows.size(1)});
  const auto scores = pca(rows.to(torch::kFloat64), components);
  const auto start = torch::zeros({rows.size(0), 2}, torch::kFloat64);
  if (components == 0) return start;
  start.narrow(1, 0, components).copy_(scores);
  double squares = 0;  // summed sequentially: LibTorch's sums depend on the number of threads
  const auto first = start.accessor<double, 2>();
  for (int64_t i = 0; i < first.size(0); ++i) squares += first[i][0] * first[i][0];
  const double deviation = std::sqrt(squares / static_cast<double>(first.size(0)));
  return deviation > 0 ? start / deviation : start;
}

std::vector<float> start_of(const torch::Tensor& rows, const TsneOptions& options) {
  const bool by_pca = options.init == TsneStart::kPca;
  auto start = torch::zeros({rows.size(0), 2}, torch::kFloat64);
  if (by_pca) start.copy_(principal_start(rows));
  Random random(derive_seed(options.seed, 0));
  double* numbers = start.data_ptr<double>();
  for (int64_t i = 0; i < start.numel(); i += 2) {
    const auto [x, y] = random.normal_pair();
    numbers[i] += (by_pca ? kJitter : 1) * x;
    numbers[i + 1] += (by_pca ? kJitter : 1) * y;
  }
  return floats_of(start * kStartScale);
}

}  // namespace

TsneResult tsne(const torch::Tensor& rows, const TsneOptions& options,
                const TsneProgress& progress) {
  const torch::NoGradGuard no_gradient;
  TORCH_CHECK(rows.dim() == 2, "t-SNE: rows must be a matrix, got ", rows.sizes());
  check_tsne_options(options, rows.size(0));
  const auto centered = tsne_rows(rows);
  const double perplexity = effective_perplexity(options.perplexity, rows.size(0));
  const auto map =
      fit_map(affinities_of(centered, perplexity), start_of(centered, options), options, progress);
  return {.positions = torch::tensor(map.positions).reshape({-1, 2}),
          .divergence = map.divergence,
          .perplexity = perplexity,
          .iterations = map.iterations};
}

double tsne_divergence(const torch::Tensor& rows, const torch::Tensor& positions,
                       double perplexity) {
  const torch::NoGradGuard no_gradient;
  TORCH_CHECK(positions.dim() == 2 && positions.size(0) == rows.size(0) && positions.size(1) == 2,
              "t-SNE: positions ", positions.sizes(), " of rows ", rows.sizes());
  check_tsne_options({.perplexity = perplexity}, rows.size(0));
  auto affinities = affinities_of(tsne_rows(rows), effective_perplexity(perplexity, rows.size(0)));
  return MapDescent(std::move(affinities), floats_of(positions), /*theta=*/0).divergence();
}

}  // namespace projnce::eval
