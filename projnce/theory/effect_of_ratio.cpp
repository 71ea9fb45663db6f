#include <fmt/format.h>
#include <torch/optim/adam.h>

#include <cmath>
#include <numbers>

#include "projnce/loss/projnce.h"
#include "projnce/theory/batch_values.h"
#include "projnce/theory/experiments.h"
#include "projnce/theory/sources.h"

namespace projnce {

namespace {

constexpr int64_t kPoints = 120;
constexpr int64_t kClasses = 4;
constexpr int64_t kDimensions = 16;
constexpr double kTemperature = 0.07;
constexpr double kLearningRate = 0.02;

struct BetaReference {
  double beta;
  double ratio;
  double self_p;
};
constexpr BetaReference kBetas[] = {{0, 1.000, 3.3673},
                                    {1, 0.991, 3.3768},
                                    {2, 0.5001, 4.0604},
                                    {5, 0.2000, 4.9767},
                                    {10, 0.1000, 5.6699}};

struct TrainedPoints {
  double ratio;
  double self_p;
  double within_cosine;
  double pair;
  double normalized;
};

double mean_within_cosine(const torch::Tensor& z, const torch::Tensor& labels) {
  const auto same = labels.unsqueeze(0) == labels.unsqueeze(1);
  const auto others = same & torch::eye(kPoints, torch::kBool).logical_not();
  return z.mm(z.t()).masked_select(others).mean().item<double>();
}

/// Free unit embeddings that minimize ProjNCE.
TrainedPoints train_points(double beta, int64_t steps, uint64_t seed) {
  auto generator = experiment_generator(seed);
  const auto points =
      torch::randn({kPoints, kDimensions}, generator, torch::kFloat64).requires_grad_();
  const auto labels = torch::arange(kPoints).remainder(kClasses);
  const ProjnceOptions options{.temperature = kTemperature, .beta = beta};
  const auto unit = [&] { return points / points.norm(2, 1, true); };
  torch::optim::Adam adam({points}, torch::optim::AdamOptions(kLearningRate));
  for (int64_t step = 0; step < steps; ++step) {
    const double progress = static_cast<double>(step) / static_cast<double>(steps);
    static_cast<torch::optim::AdamOptions&>(adam.param_groups()[0].options())
        .lr(kLearningRate * (1 + std::cos(std::numbers::pi * progress)) / 2);
    auto batch = make_batch(unit(), labels);
    batch.with_parts = false;
    adam.zero_grad();
    projnce(batch, options).loss.backward();
    adam.step();
  }
  const auto z = unit().detach();
  const auto terms = projnce_terms(make_batch(z, labels), options);
  const auto bound = batch_pair_bound({z, labels}, kClasses, kTemperature);
  return {terms.ratio.mean().item<double>(), terms.self_p.item<double>(),
          mean_within_cosine(z, labels), bound.value, bound.normalized};
}

}  // namespace

TheoryResult effect_of_ratio(const TheoryOptions& options) {
  Claims claims;
  TheoryTable table{.caption = "120 free points in 16 dimensions, 4 classes, temperature 0.07",
                    .header = {"beta", "R", "1/beta", "self-p", "within-class cosine",
                               "pair form (not held out)", "normalized (not held out)"}};
  ChartSeries ratios{.name = "R", .points = {}};
  ChartSeries inverse{.name = "1/beta", .points = {}, .marks = false, .dashed = true};
  ChartSeries cosines{.name = "within-class cosine", .points = {}};
  for (const auto& reference : kBetas) {
    const double beta = reference.beta;
    const auto found = train_points(beta, options.scaled(3000, 300), options.seed + 107);
    const double floor = std::log(static_cast<double>(kPoints / kClasses - 1));
    if (beta > 1) {
      claims.equals(fmt::format("R settles at 1/beta for beta = {}", beta), found.ratio, 1 / beta,
                    0.01 / beta);
      claims.equals(fmt::format("self-p is log(n_c - 1) + log beta for beta = {}", beta),
                    found.self_p, floor + std::log(beta), 0.01);
      inverse.points.push_back({.x = beta, .y = 1 / beta});
    }
    claims.equals(fmt::format("R for beta = {}", beta), found.ratio, reference.ratio, 0.005);
    claims.equals(fmt::format("self-p for beta = {}", beta), found.self_p, reference.self_p, 0.01);
    table.rows.push_back(
        {fmt::format("{}", beta), fmt::format("{:.4f}", found.ratio),
         beta > 1 ? fmt::format("{:.4f}", 1 / beta) : "", fmt::format("{:.4f}", found.self_p),
         fmt::format("{:.3f}", found.within_cosine), fmt::format("{:.3f}", found.pair),
         fmt::format("{:.3f}", found.normalized)});
    ratios.points.push_back({.x = beta, .y = found.ratio});
    cosines.points.push_back({.x = beta, .y = found.within_cosine});
  }
  return {.id = "T7",
          .title = "What R does to embeddings",
          .summary =
              "Free unit embeddings that minimize ProjNCE. A weight beta > 1 spreads classes "
              "until R is 1/beta; self-p rises by log beta. The last columns are computed on "
              "the trained points and say nothing about new ones.",
          .tables = {table},
          .chart = {.title = "R settles at 1/beta",
                    .subtitle = "120 free points, 4 classes",
                    .x = {.title = "beta"},
                    .y = {.title = "value"},
                    .series = {ratios, inverse, cosines}},
          .claims = claims.all()};
}

}  // namespace projnce
