#include <fmt/format.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "projnce/eval/information_bounds.h"
#include "projnce/eval/linear_probe.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/information/mixed_ksg.h"
#include "projnce/loss/ce.h"
#include "projnce/loss/projnce.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/projnce_perp.h"
#include "projnce/loss/supcon.h"
#include "projnce/projection/class_groups.h"
#include "projnce/theory/experiment.h"
#include "projnce/theory/sources.h"

namespace projnce::theory {

namespace {

constexpr int64_t kInputs = 16;
constexpr int64_t kHidden = 64;
constexpr int64_t kClassCount = 10;
constexpr int64_t kBatchRows = 256;
constexpr double kDistance = 2.2;  // of the class means from the origin
constexpr double kLossTemperature = 0.1;
constexpr double kRate = 2e-3;
constexpr double kLabelNoise = 0.3;
/// Standard error of the difference to a reference, besides that of the test rows here: test rows
/// and four seeds there, one seed here.
constexpr double kReferenceSe = 0.016;
constexpr double kUnstableReferenceSe = 0.037;  // pair forms of perp and MLP

information::ClassPriors uniform_priors() {
  return {.num_classes = kClassCount};
}

/// x = 2.2 e_c + N(0, I), float32; a label is replaced by another one with probability `noise`.
information::LabeledRows draw_inputs(int64_t count, double noise, torch::Generator& generator) {
  const auto labels = torch::randint(0, kClassCount, {count}, generator, torch::kInt64);
  auto rows = torch::randn({count, kInputs}, generator, torch::kFloat32);
  rows += kDistance * torch::eye(kClassCount, kInputs).index_select(0, labels);
  const auto wrong = torch::rand({count}, generator) < noise;
  const auto shift = torch::randint(1, kClassCount, {count}, generator, torch::kInt64);
  return {rows, torch::where(wrong, (labels + shift).remainder(kClassCount), labels)};
}

/// Class form of the true posterior; its mean is exactly I(X;C).
Estimate bayes_bound(const information::LabeledRows& inputs) {
  const auto logits = kDistance * inputs.embeddings.narrow(1, 0, kClassCount);
  const auto bound = information::class_bound_from_logits(logits, inputs.labels, uniform_priors());
  return {bound.value, bound.se.value_or(0)};
}

/// Values of one encoder, certified but for Mixed KSG. The classifier of CE has neither pairs nor
/// a temperature.
struct TrainedValues {
  std::optional<Estimate> by_class;
  std::optional<Estimate> fitted;
  std::optional<Estimate> probe;
  std::optional<Estimate> normalized;
  std::optional<Estimate> pair;
  /// Mixed KSG of the first 2000 rows: an estimate, not a bound.
  std::optional<double> ksg = {};
  torch::Tensor fitted_terms = {};  ///< by test row, of `fitted`
  torch::Tensor probe_terms = {};   ///< by test row, of `probe`
};

/// A loss, and reference values of encoders trained with clean and with noisy labels.
struct TrainedLoss {
  std::string name;
  loss::LossPtr loss;
  bool unit_rows;
  double pair_reference_se;
  TrainedValues references[2];
};

Estimate without_se(double value) {
  return {value};
}

std::vector<TrainedLoss> make_losses() {
  return {
      {"supcon",
       std::make_shared<loss::SupConLoss>(loss::SupConOptions{.temperature = kLossTemperature}),
       true,
       kReferenceSe,
       {{without_se(1.249), without_se(1.454), without_se(1.451), without_se(1.249),
         without_se(1.180)},
        {without_se(0.460), without_se(1.256), without_se(1.236), without_se(0.663),
         without_se(0.659)}}},
      {"projnce",
       std::make_shared<loss::ProjnceLoss>(loss::ProjnceOptions{.temperature = kLossTemperature}),
       true,
       kReferenceSe,
       {{without_se(1.391), without_se(1.461), without_se(1.458), without_se(1.388),
         without_se(1.236)},
        {without_se(0.799), without_se(1.263), without_se(1.252), without_se(1.080),
         without_se(1.044)}}},
      {"projnce-perp",
       std::make_shared<loss::ProjncePerpLoss>(
           loss::ProjncePerpOptions{.temperature = kLossTemperature}),
       true,
       kUnstableReferenceSe,
       {{without_se(1.474), without_se(1.475), without_se(1.469), without_se(1.454),
         without_se(0.340), 1.518},
        {without_se(1.233), without_se(1.237), without_se(1.230), without_se(1.391),
         without_se(0.142)}}},
      {"projnce-mlp",
       std::make_shared<loss::ProjnceMlpLoss>(
           loss::ProjnceMlpOptions{.temperature = kLossTemperature}, kClassCount, kInputs),
       true,
       kUnstableReferenceSe,
       {{without_se(1.476), without_se(1.476), without_se(1.469), without_se(1.197),
         without_se(0.958)},
        {without_se(1.247), without_se(1.242), without_se(1.202), without_se(0.588),
         without_se(0.579)}}},
      {"ce",
       std::make_shared<loss::CeLoss>(
           loss::CeOptions{.num_classes = kClassCount, .feature_dim = kInputs}),
       false,
       kReferenceSe,
       {{without_se(1.486), {}, without_se(1.479), {}, {}},
        {without_se(1.227), {}, without_se(1.216), {}, {}}}}};
}

torch::nn::Sequential make_encoder() {
  return torch::nn::Sequential(torch::nn::Linear(kInputs, kHidden), torch::nn::ReLU(),
                               torch::nn::Linear(kHidden, kHidden), torch::nn::ReLU(),
                               torch::nn::Linear(kHidden, kInputs));
}

torch::Tensor encode(torch::nn::Sequential& encoder, const TrainedLoss& trained,
                     const torch::Tensor& inputs) {
  const auto rows = encoder->forward(inputs);
  return trained.unit_rows ? projection::unit_rows(rows) : rows;
}

/// Adam on fresh batches, the learning rate decaying along a half cosine. All losses start from the
/// same weights and see the same batches.
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
    const auto batch = draw_inputs(kBatchRows, noise, generator);
    const auto rows = encode(encoder, trained, batch.embeddings);
    adam.zero_grad();
    trained.loss->forward(rows, batch.labels, {}, rows).backward();
    adam.step();
  }
  return encoder;
}

std::optional<Estimate> to_estimate(const std::optional<eval::BoundEstimate>& bound) {
  if (!bound) return {};
  return Estimate{bound->value, bound->se.value_or(0)};
}

/// Rows that the encoder was not trained on: `reference`, with the label noise of training, for
/// class vectors, fitted temperature and linear probe; `test`, with clean labels, for the bounds.
struct HeldOutInputs {
  information::LabeledRows reference;
  information::LabeledRows test;
};

double mixed_ksg_estimate(const torch::Tensor& rows, const torch::Tensor& labels) {
  const auto some = rows.narrow(0, 0, 2000);
  return information::label_information(
      some, labels.narrow(0, 0, 2000),
      {.k = 5, .label_scale = information::fitting_label_scale(some)});
}

TrainedValues evaluate_encoder(torch::nn::Sequential& encoder, const TrainedLoss& trained,
                               const HeldOutInputs& inputs) {
  const torch::NoGradGuard no_gradient;
  const auto reference = encode(encoder, trained, inputs.reference.embeddings);
  const auto test = encode(encoder, trained, inputs.test.embeddings);
  const auto critic = trained.loss->critic(reference, inputs.reference.labels, kClassCount);
  const auto class_vectors =
      critic.class_vectors.defined()
          ? critic.class_vectors
          : eval::class_centroids(reference, inputs.reference.labels, kClassCount);
  const auto bounds = eval::held_out_bounds({.rows = {test, inputs.test.labels},
                                             .class_vectors = class_vectors,
                                             .logits = trained.loss->logits(test),
                                             .reference_rows = reference,
                                             .reference_labels = inputs.reference.labels,
                                             .pairs = trained.unit_rows},
                                            uniform_priors(), kLossTemperature);
  const auto probe = eval::fit_linear_probe(reference, inputs.reference.labels, kClassCount);
  const auto by_probe = information::class_bound_from_logits(probe.scores(test), inputs.test.labels,
                                                             uniform_priors());
  TrainedValues values{to_estimate(bounds.by_class),
                       to_estimate(bounds.by_class_fitted),
                       Estimate{by_probe.value, by_probe.se.value_or(0)},
                       to_estimate(bounds.pair_normalized),
                       to_estimate(bounds.pair),
                       mixed_ksg_estimate(test, inputs.test.labels)};
  if (bounds.by_class_fitted) {
    values.fitted_terms = information::class_bound({test, inputs.test.labels}, class_vectors,
                                                   {.temperature = bounds.fitted_temperature,
                                                    .priors = uniform_priors()})
                              .terms;
  }
  values.probe_terms = by_probe.terms;
  return values;
}

/// Mean difference of the terms of two encoders on the same test rows.
Estimate paired_difference(const torch::Tensor& terms, const torch::Tensor& others) {
  const auto difference = terms - others;
  const auto count = static_cast<double>(difference.size(0));
  return {difference.mean().item<double>(), difference.std().item<double>() / std::sqrt(count)};
}

std::vector<std::string> paired_row(double noise, const TrainedValues& projnce,
                                    const TrainedValues& supcon) {
  return {fmt::format("{}", noise),
          to_text(paired_difference(projnce.fitted_terms, supcon.fitted_terms)),
          to_text(paired_difference(projnce.probe_terms, supcon.probe_terms))};
}

void check_value(const std::string& what, const std::optional<Estimate>& value,
                 const Estimate& information, const std::optional<Estimate>& reference, double se,
                 Claims& claims) {
  if (!value) return;
  claims.at_most(what, *value, information);
  if (reference) claims.agrees(what, *value, {reference->mean, se});
}

/// References hold for full training only.
void check_values(const std::string& at, const TrainedValues& values, const Estimate& information,
                  const TrainedValues& references, double pair_se, Claims& claims) {
  check_value("class form, temperature of the loss" + at, values.by_class, information,
              references.by_class, kReferenceSe, claims);
  check_value("class form, fitted temperature" + at, values.fitted, information, references.fitted,
              kReferenceSe, claims);
  check_value("linear probe" + at, values.probe, information, references.probe, kReferenceSe,
              claims);
  check_value("normalized pair form" + at, values.normalized, information, references.normalized,
              pair_se, claims);
  check_value("pair form" + at, values.pair, information, references.pair, pair_se, claims);
  if (references.ksg) claims.agrees("Mixed KSG" + at, {*values.ksg}, {*references.ksg, .02});
}

std::string value_cell(const std::optional<Estimate>& value) {
  return value ? to_text(*value) : "–";
}

std::vector<std::string> value_row(const std::string& name, double noise,
                                   const TrainedValues& values) {
  return {fmt::format("{}, {}", name, noise), value_cell(values.by_class),
          value_cell(values.fitted),          value_cell(values.probe),
          value_cell(values.normalized),      value_cell(values.pair),
          fmt::format("{:.3f}", *values.ksg)};
}

}  // namespace

TheoryResult trained_encoders(const TheoryOptions& options) {
  auto generator = experiment_generator(options.seed + 900);
  const auto information =
      bayes_bound(draw_inputs(options.scaled(int64_t{1} << 20, 1 << 16), 0, generator));
  const auto rows = options.scaled(10000, 2000);
  const auto test = draw_inputs(rows, 0, generator);
  Claims claims;
  if (options.full()) claims.agrees("I(X;C)", information, {1.5117, .0008}, 0.00005);
  TheoryTable table{
      .caption = fmt::format(
          "{} test rows with clean labels, I(X;C) = {}; all values but Mixed KSG are certified",
          rows, to_text(information, 4)),
      .header = {"loss, label noise", "class form", "fitted temperature", "linear probe",
                 "normalized pair", "pair", "Mixed KSG (estimate)"},
      .rows = {{"true posterior", to_text(bayes_bound(test)), "–", "–", "–", "–", "–"}}};
  TheoryTable differences{
      .caption =
          "projnce - supcon, on the same test rows; standard error over test rows, one "
          "training each",
      .header = {"label noise", "class form, fitted temperature", "linear probe"}};
  report::ChartSeries series[2] = {{.name = "clean labels", .points = {}, .line = false},
                                   {.name = "30 % label noise", .points = {}, .line = false}};
  std::vector<report::ChartTick> ticks;
  for (size_t noisy = 0; noisy < 2; ++noisy) {
    const double noise = noisy == 1 ? kLabelNoise : 0;
    const HeldOutInputs inputs{draw_inputs(rows, noise, generator), test};
    auto losses = make_losses();
    TrainedValues supcon;
    for (size_t i = 0; i < losses.size(); ++i) {
      auto& trained = losses[i];
      auto encoder = train_encoder(trained, noise, options.scaled(1000, 50), options.seed + 800);
      const auto values = evaluate_encoder(encoder, trained, inputs);
      const auto at = fmt::format(", {}, label noise {}", trained.name, noise);
      check_values(at, values, information,
                   options.full() ? trained.references[noisy] : TrainedValues{},
                   trained.pair_reference_se, claims);
      table.rows.push_back(value_row(trained.name, noise, values));
      if (trained.name == "supcon") supcon = values;
      if (trained.name == "projnce") differences.rows.push_back(paired_row(noise, values, supcon));
      const auto x = static_cast<double>(i + 1);
      if (noisy == 0) ticks.push_back({x, trained.name});
      series[noisy].points.push_back(chart_point(x, values.fitted.value_or(*values.by_class)));
    }
  }
  return {.id = "T8",
          .title = "Trained encoders",
          .summary =
              "Small encoders trained with five losses on x = 2.2 e_c + N(0, I), with clean and "
              "with noisy training labels. Every certified value must stay below I(X;C). The order "
              "of the losses is not a claim.",
          .tables = {table, differences},
          .chart = {.title = "Certified information of trained encoders",
                    .subtitle = "class form at the fitted temperature, test rows with clean labels",
                    .x = {.title = "loss", .range = std::pair(0.5, 5.5), .ticks = ticks},
                    .y = {.title = "nats"},
                    .series = {series[0], series[1]},
                    .reference_lines = {{"I(X;C)", information.mean}},
                    .dodge = 0.3},
          .claims = claims.all()};
}

}  // namespace projnce::theory
