#include <fmt/format.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "projnce/eval/information_bounds.h"
#include "projnce/eval/linear_probe.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/loss/ce.h"
#include "projnce/loss/projnce.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/projnce_perp.h"
#include "projnce/loss/supcon.h"
#include "projnce/projection/class_groups.h"
#include "projnce/theory/experiments.h"
#include "projnce/theory/sources.h"

namespace projnce {

namespace {

constexpr int64_t kInputs = 16;
constexpr int64_t kHidden = 64;
constexpr int64_t kClassCount = 10;
constexpr double kDistance = 2.2;
constexpr double kLossTemperature = 0.1;
constexpr double kRate = 2e-3;
constexpr Estimate kInputInformation = {1.5117, .0008};
/// Standard error of a reference: test rows, which all columns share, and seeds.
constexpr double kTrainedError = 0.012;

/// x = 2.2 e_c + N(0, I), float32; a label is replaced by another one with probability `noise`.
LabeledRows draw_inputs(int64_t count, double noise, torch::Generator& generator) {
  const auto labels = torch::randint(0, kClassCount, {count}, generator, torch::kInt64);
  auto rows = torch::randn({count, kInputs}, generator, torch::kFloat32);
  rows += kDistance * torch::eye(kClassCount, kInputs).index_select(0, labels);
  const auto wrong = torch::rand({count}, generator) < noise;
  const auto shift = torch::randint(1, kClassCount, {count}, generator, torch::kInt64);
  return {rows, torch::where(wrong, (labels + shift).remainder(kClassCount), labels)};
}

struct TrainedLoss {
  std::string name;
  LossPtr loss;
  bool unit_rows = true;
  double references[2];  // class form at the fitted temperature without and with noise
};

std::vector<TrainedLoss> trained_losses() {
  return {{"supcon",
           std::make_shared<SupConLoss>(SupConOptions{.temperature = kLossTemperature}),
           true,
           {1.454, 1.256}},
          {"projnce",
           std::make_shared<ProjnceLoss>(ProjnceOptions{.temperature = kLossTemperature}),
           true,
           {1.461, 1.263}},
          {"projnce-perp",
           std::make_shared<ProjncePerpLoss>(ProjncePerpOptions{.temperature = kLossTemperature}),
           true,
           {1.475, 1.237}},
          {"projnce-mlp",
           std::make_shared<ProjnceMlpLoss>(ProjnceMlpOptions{.temperature = kLossTemperature},
                                            kClassCount, kInputs),
           true,
           {1.476, 1.242}},
          {"ce",
           std::make_shared<CeLoss>(CeOptions{.num_classes = kClassCount, .feature_dim = kInputs}),
           false,
           {1.486, 1.227}}};
}

torch::nn::Sequential make_encoder() {
  return torch::nn::Sequential(torch::nn::Linear(kInputs, kHidden), torch::nn::ReLU(),
                               torch::nn::Linear(kHidden, kHidden), torch::nn::ReLU(),
                               torch::nn::Linear(kHidden, kInputs));
}

torch::Tensor encode(torch::nn::Sequential& encoder, const TrainedLoss& trained,
                     const torch::Tensor& inputs) {
  const auto rows = encoder->forward(inputs);
  return trained.unit_rows ? unit_rows(rows) : rows;
}

torch::nn::Sequential train_encoder(TrainedLoss& trained, double noise, int64_t steps,
                                    uint64_t seed) {
  torch::manual_seed(seed);
  auto generator = experiment_generator(seed + 1);
  auto encoder = make_encoder();
  auto parameters = encoder->parameters();
  for (const auto& parameter : trained.loss->parameters()) parameters.push_back(parameter);
  torch::optim::Adam adam(parameters, torch::optim::AdamOptions(kRate));
  for (int64_t step = 0; step < steps; ++step) {
    const double progress = static_cast<double>(step) / static_cast<double>(steps);
    static_cast<torch::optim::AdamOptions&>(adam.param_groups()[0].options())
        .lr(kRate * (1 + std::cos(std::numbers::pi * progress)) / 2);
    const auto batch = draw_inputs(256, noise, generator);
    const auto rows = encode(encoder, trained, batch.embeddings);
    adam.zero_grad();
    trained.loss->forward(rows, batch.labels, {}, rows).backward();
    adam.step();
  }
  return encoder;
}

struct TrainedBounds {
  InformationBounds bounds;
  BoundEstimate probe;
};

TrainedBounds evaluate_encoder(torch::nn::Sequential& encoder, TrainedLoss& trained, double noise,
                               int64_t rows, uint64_t seed) {
  const torch::NoGradGuard no_gradient;
  auto generator = experiment_generator(seed);
  const auto reference = draw_inputs(rows, noise, generator);
  const auto test = draw_inputs(rows, 0, generator);
  const auto known = encode(encoder, trained, reference.embeddings);
  const auto embeddings = encode(encoder, trained, test.embeddings);
  const auto critic = trained.loss->critic(known, reference.labels, kClassCount);
  const ClassPriors priors{.num_classes = kClassCount};
  const auto vectors = critic.class_vectors.defined()
                           ? critic.class_vectors
                           : class_centroids(known, reference.labels, kClassCount);
  const auto bounds = held_out_bounds({.rows = {embeddings, test.labels},
                                       .class_vectors = vectors,
                                       .logits = trained.loss->logits(embeddings),
                                       .reference_rows = known,
                                       .reference_labels = reference.labels,
                                       .pairs = trained.unit_rows},
                                      priors, kLossTemperature);
  const auto probe = fit_linear_probe(known, reference.labels, kClassCount);
  const auto by_probe = class_bound_from_logits(probe.scores(embeddings), test.labels, priors);
  return {bounds, {by_probe.value, by_probe.se}};
}

std::string bound_cell(const std::optional<BoundEstimate>& bound) {
  return bound ? to_text({bound->value, bound->se.value_or(0)}) : "";
}

}  // namespace

TheoryResult trained_encoders(const TheoryOptions& options) {
  Claims claims;
  TheoryTable table{
      .caption = "test rows with clean labels, I(X;C) = 1.512",
      .header = {"loss, label noise", "class form, temperature of the loss",
                 "class form, fitted temperature", "linear probe", "normalized pair", "pair"}};
  ChartSeries series[2] = {{.name = "clean labels", .points = {}, .line = false},
                           {.name = "30 % label noise", .points = {}, .line = false}};
  std::vector<ChartTick> ticks;
  for (int with_noise = 0; with_noise < 2; ++with_noise) {
    const double noise = with_noise == 1 ? 0.3 : 0;
    auto losses = trained_losses();
    for (size_t i = 0; i < losses.size(); ++i) {
      auto& trained = losses[i];
      auto encoder =
          train_encoder(trained, noise, options.scaled(1000, 100), options.seed + 800 + 10 * i);
      const auto found = evaluate_encoder(encoder, trained, noise, options.scaled(10000, 2000),
                                          options.seed + 900);
      const auto& bounds = found.bounds;
      const auto first = bounds.by_class_fitted ? *bounds.by_class_fitted : *bounds.by_class;
      const auto at = fmt::format(", {}, noise {}", trained.name, noise);
      for (const auto& bound : {bounds.by_class, bounds.by_class_fitted, bounds.pair,
                                bounds.pair_normalized, std::optional(found.probe)}) {
        if (!bound) continue;
        claims.at_most("certified value" + at, {bound->value, bound->se.value_or(0)},
                       kInputInformation.mean);
      }
      if (options.effort >= 1) {
        claims.agrees("class form" + at, {first.value, first.se.value_or(0)},
                      {trained.references[with_noise], kTrainedError});
      }
      table.rows.push_back({fmt::format("{}, {}", trained.name, noise), bound_cell(bounds.by_class),
                            bound_cell(bounds.by_class_fitted), bound_cell(found.probe),
                            bound_cell(bounds.pair_normalized), bound_cell(bounds.pair)});
      const auto x = static_cast<double>(i + 1);
      if (with_noise == 0) ticks.push_back({x, trained.name});
      series[with_noise].points.push_back(
          {.x = x, .y = first.value, .error = first.se.value_or(0)});
    }
  }
  return {.id = "T8",
          .title = "Trained encoders",
          .summary =
              "Small encoders trained by five losses on x = 2.2 e_c + N(0, I), with clean and "
              "noisy training labels. Every certified value must stay below I(X;C).",
          .tables = {table},
          .chart = {.title = "Certified information of trained encoders",
                    .subtitle = "class form on 10000 test rows with clean labels",
                    .x = {.title = "loss", .range = std::pair(0.5, 5.5), .ticks = ticks},
                    .y = {.title = "nats"},
                    .series = {series[0], series[1]},
                    .reference_lines = {{"I(X;C)", kInputInformation.mean}},
                    .dodge = 0.3},
          .claims = claims.all()};
}

}  // namespace projnce
