#include "projnce/eval/tsne/tsne.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/eval/pca.h"
#include "projnce/eval/tsne/affinities.h"
#include "projnce/eval/tsne/fit_map.h"
#include "projnce/eval/tsne/map_descent.h"

namespace projnce {

namespace {

constexpr double kStartScale = 1e-4;
/// Of the scale: tells equal rows apart, and leaves a line where all rows are on one.
constexpr double kJitter = 1e-2;

/// What the neighbours are looked for in: float32, around the origin, where digits are finest.
torch::Tensor tsne_rows(const torch::Tensor& rows) {
  TORCH_CHECK(rows.dim() == 2, "t-SNE: rows must be a matrix, got ", rows.sizes());
  return centred_rows(rows).to(torch::kFloat32).contiguous();
}

Affinities affinities_of(const torch::Tensor& rows, double perplexity) {
  return make_affinities(rows.data_ptr<float>(), rows.size(0), rows.size(1), perplexity);
}

std::vector<float> floats_of(const torch::Tensor& positions) {
  const auto flat = positions.to(torch::kFloat32).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

/// The first two principal components, the first with a standard deviation of 1.
torch::Tensor principal_start(const torch::Tensor& rows) {
  const auto components = std::min<int64_t>({2, rows.size(0), rows.size(1)});
  const auto scores = pca(rows.to(torch::kFloat64), components);
  const auto start = torch::zeros({rows.size(0), 2}, torch::kFloat64);
  if (components == 0) return start;
  start.narrow(1, 0, components).copy_(scores);
  double squares = 0;  // one by one: LibTorch's sums depend on the threads
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
  const auto centred = tsne_rows(rows);
  const double perplexity = effective_perplexity(options.perplexity, rows.size(0));
  const auto map =
      fit_map(affinities_of(centred, perplexity), start_of(centred, options), options, progress);
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

}  // namespace projnce
