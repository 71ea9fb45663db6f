#include "projnce/pipeline/delivery.h"

#include <algorithm>

#include "projnce/eval/calibration.h"
#include "projnce/eval/temperature_scaling.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

std::vector<Protocol> protocols_of(const Evaluation& evaluation,
                                   const std::vector<std::string>& names) {
  const auto& samples = evaluation.samples;
  return choose_protocols(names, samples.logits.defined(), samples.learned_vectors.defined());
}

/// The readouts to choose from, the preferred one first.
std::vector<Protocol> readout_candidates(const Evaluation& evaluation, const EvalOptions& options) {
  const bool choose = options.readout == "auto" && evaluation.validation;
  return protocols_of(evaluation, {choose ? "all" : options.readout});
}

/// It is fitted once, for all who use it.
void fit_shared_probe(Evaluation& evaluation, const std::vector<Protocol>& used) {
  auto& samples = evaluation.samples;
  if (std::find(used.begin(), used.end(), Protocol::kProbe) == used.end()) return;
  samples.probe =
      fit_linear_probe(samples.known.features, samples.known.labels, samples.num_classes);
  if (evaluation.validation) evaluation.validation->probe = samples.probe;
}

struct ChosenReadout {
  Protocol protocol;
  double validation_accuracy;
};

ChosenReadout choose_readout(const Evaluation& evaluation, const std::vector<Protocol>& candidates,
                             const KnnOptions& knn) {
  ChosenReadout chosen{candidates.front(), -1};
  if (!evaluation.validation) return chosen;
  for (const auto protocol : candidates) {
    const double accuracy = judge(*evaluation.validation, protocol, knn).accuracy.top1;
    if (accuracy > chosen.validation_accuracy) chosen = {protocol, accuracy};
  }
  return chosen;
}

void calibrate(const Evaluation& evaluation, const KnnOptions& knn, Delivery& delivery) {
  const auto protocol = delivery.readout.protocol;
  const auto scores_of = [&](const JudgedSamples& samples) {
    return scaled_scores(protocol, protocol_scores(samples, protocol, knn));
  };
  const auto& test_labels = evaluation.samples.test.labels;
  const auto& fitted = evaluation.validation ? *evaluation.validation : evaluation.samples;
  if (fitted.test.labels.size(0) == 0) return;
  delivery.calibrated_on = evaluation.validation ? "validation" : "test";
  delivery.readout.temperature = fit_temperature(scores_of(fitted), fitted.test.labels);
  if (test_labels.size(0) == 0) return;
  const auto scores = scores_of(evaluation.samples);
  delivery.calibration_error = calibration_error(
      evaluation.validation ? tempered_softmax(scores, delivery.readout.temperature)
                            : cross_fitted_probabilities(scores, test_labels),
      test_labels);
}

}  // namespace

Delivery make_delivery(Evaluation& evaluation, const EvalOptions& options, DeliveredEpoch epoch) {
  const auto candidates = readout_candidates(evaluation, options);
  auto used = protocols_of(evaluation, options.final_protocols);
  used.insert(used.end(), candidates.begin(), candidates.end());
  fit_shared_probe(evaluation, used);
  const auto chosen = choose_readout(evaluation, candidates, options.knn);
  Delivery delivery{.epoch = epoch,
                    .readout = make_readout(chosen.protocol, evaluation.samples, options.knn),
                    .judgement = judge(evaluation.samples, chosen.protocol, options.knn)};
  calibrate(evaluation, options.knn, delivery);
  if (evaluation.validation) {
    delivery.validation_samples = evaluation.validation->test.labels.size(0);
    delivery.validation_accuracy = chosen.validation_accuracy;
  }
  return delivery;
}

ordered_json delivery_json(const Delivery& delivery) {
  const auto protocol = delivery.readout.protocol;
  ordered_json json{{"epoch", delivery.epoch.epoch},
                    {"epochs", delivery.epoch.epochs},
                    {"rule", epoch_rule_name(delivery.epoch.rule)},
                    {"readout", protocol_name(protocol)},
                    {"readout_text", protocol_text(protocol)}};
  json.update(brief_json(delivery.judgement));
  json["calibration_error"] =
      delivery.calibration_error ? ordered_json(*delivery.calibration_error) : ordered_json();
  json["calibrated_on"] =
      delivery.calibrated_on.empty() ? ordered_json() : ordered_json(delivery.calibrated_on);
  json["temperature"] = delivery.readout.temperature;
  if (delivery.validation_samples > 0) {
    json["validation"] = {{"samples", delivery.validation_samples},
                          {"top1", delivery.validation_accuracy}};
  }
  return json;
}

ordered_json reported_accuracy(const Delivery& delivery, const RunProgress& progress,
                               EvalReport report, const DatasetOptions& dataset) {
  const double delivered = delivery.judgement.accuracy.top1;
  ordered_json json{
      {"last", progress.last_accuracy},
      {"last_top5", progress.last_top5},
      {"best", progress.best_accuracy},
      {"best_epoch", progress.best_epoch},
      {"reported", delivered},
      {"reported_epoch", delivery.epoch.rule == EpochRule::kLast ? "last" : "validation"},
      {"report", "delivered"}};
  if (report == EvalReport::kDelivered) return json;
  const bool noisy = dataset.label_noise.rate > 0 || dataset.feature_noise.deviation > 0;
  json["reported"] = noisy ? progress.last_accuracy : progress.best_accuracy;
  json["reported_epoch"] = noisy ? "last" : "best";
  json["report"] = "best-test-epoch";
  return json;
}

}  // namespace projnce
