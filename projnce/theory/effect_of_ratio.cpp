#include <fmt/format.h>
#include <torch/optim/adam.h>

#include <cmath>
#include <numbers>

#include "projnce/loss/projnce.h"
#include "projnce/theory/experiment.h"
#include "projnce/theory/sources.h"

namespace projnce::theory {

namespace {

constexpr int64_t kPoints = 120;
constexpr int64_t kClasses = 4;
constexpr int64_t kDimensions = 16;
constexpr double kTemperature = 0.07;
constexpr double kLearningRate = 0.02;

struct TrainedPoints {
  double ratio;
  double self_p;
  double within_cosine;
  double pair;
  double normalized;
};

struct BetaReference {
  double beta;
  TrainedPoints values;
};
constexpr BetaReference kBetas[] = {{0, {1.000, 3.3673, .999, 1.386, 1.386}},
                                    {1, {.991, 3.3768, .944, 1.386, 1.386}},
                                    {2, {.5001, 4.0604, .605, 1.206, 1.386}},
                                    {5, {.2000, 4.9767, .575, .597, 1.386}},
                                    {10, {.1000, 5.6699, .559, .007, 1.386}}};

double mean_within_cosine(const torch::Tensor& z, const torch::Tensor& labels) {
  const auto same = labels.unsqueeze(0) == labels.unsqueeze(1);
  const auto others = same & torch::eye(kPoints, torch::kBool).logical_not();
  return z.mm(z.t()).masked_select(others).mean().item<double>();
}

/// Free unit embeddings that minimize ProjNCE, by Adam with a learning rate that decays along a
/// half cosine.
TrainedPoints train_points(double beta, int64_t steps, uint64_t seed) {
  auto generator = experiment_generator(seed);
  const auto points =
      torch::randn({kPoints, kDimensions}, generator, torch::kFloat64).requires_grad_();
  const auto labels = torch::arange(kPoints).remainder(kClasses);
  const loss::ProjnceOptions options{.temperature = kTemperature, .beta = beta};
  const auto unit = [&] { return points / points.norm(2, 1, true); };
  torch::optim::Adam adam({points}, torch::optim::AdamOptions(kLearningRate));
  for (int64_t step = 0; step < steps; ++step) {
    const double progress = static_cast<double>(step) / static_cast<double>(steps);
    static_cast<torch::optim::AdamOptions&>(adam.param_groups()[0].options())
        .lr(kLearningRate * (1 + std::cos(std::numbers::pi * progress)) / 2);
    auto batch = loss::make_batch(unit(), labels);
    batch.with_parts = false;
    adam.zero_grad();
    loss::projnce(batch, options).loss.backward();
    adam.step();
  }
  const auto z = unit().detach();
  const auto terms = loss::projnce_terms(loss::make_batch(z, labels), options);
  const auto bound = batch_pair_bound({z, labels}, kClasses, kTemperature);
  return {terms.ratio.mean().item<double>(), terms.self_p.item<double>(),
          mean_within_cosine(z, labels), bound.value, bound.normalized};
}

/// Claims for beta > 1, where training reaches an equilibrium.
void check_equilibrium(double beta, const TrainedPoints& found, Claims& claims) {
  const auto at = fmt::format(" for beta = {}", beta);
  claims.equals("R = 1/beta" + at, found.ratio, 1 / beta, 0.01 / beta);
  const double collapsed = std::log(static_cast<double>(kPoints / kClasses - 1));
  claims.equals("self-p = log(n_c - 1) + log beta" + at, found.self_p, collapsed + std::log(beta),
                0.01);
}

/// Reference values. Many configurations have R = 1/beta, so the within-class cosine depends on the
/// start and on the optimizer: its tolerance is wide.
void check_references(const BetaReference& reference, const TrainedPoints& found, Claims& claims) {
  const auto at = fmt::format(" for beta = {}", reference.beta);
  const auto& expected = reference.values;
  claims.equals("R" + at, found.ratio, expected.ratio, 0.01);
  claims.equals("self-p" + at, found.self_p, expected.self_p, 0.01);
  claims.equals("within-class cosine" + at, found.within_cosine, expected.within_cosine, 0.05);
  claims.equals("pair form of the trained points" + at, found.pair, expected.pair, 0.02);
}

}  // namespace

TheoryResult effect_of_ratio(const TheoryOptions& options) {
  Claims claims;
  TheoryTable table{.caption =
                        "120 free points in 16 dimensions, 4 classes, temperature 0.07; the "
                        "last two columns are not held out, so they are not bounds",
                    .header = {"beta", "R", "1/beta", "self-p", "within-class cosine", "pair form",
                               "normalized pair form"}};
  report::ChartSeries ratios{.name = "R", .points = {}};
  report::ChartSeries inverse{.name = "1/beta", .points = {}, .marks = false, .dashed = true};
  report::ChartSeries cosines{.name = "within-class cosine", .points = {}};
  for (const auto& reference : kBetas) {
    const double beta = reference.beta;
    if (!options.full() && beta != 0 && beta != 2) continue;
    const auto found = train_points(beta, options.scaled(3000, 500), options.seed + 107);
    if (beta > 1) {
      check_equilibrium(beta, found, claims);
      inverse.points.push_back({.x = beta, .y = 1 / beta});
    }
    if (options.full()) check_references(reference, found, claims);
    claims.equals(fmt::format("normalized pair form of the trained points for beta = {}", beta),
                  found.normalized, reference.values.normalized, 0.001);
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
              "Free unit embeddings that minimize self-p + beta R. A weight beta > 1 spreads the "
              "classes until R = 1/beta, where self-p = log(n_c - 1) + log beta for classes of n_c "
              "points.",
          .tables = {table},
          .chart = {.title = "Training settles where R = 1/beta",
                    .subtitle = "120 free points, 4 classes, temperature 0.07",
                    .x = {.title = "beta, the weight of R"},
                    .y = {.title = "value"},
                    .series = {ratios, inverse, cosines}},
          .claims = claims.all()};
}

}  // namespace projnce::theory
