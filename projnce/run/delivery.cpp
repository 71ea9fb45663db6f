#include "projnce/run/delivery.h"

#include <torch/types.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/eval/accuracy.h"
#include "projnce/eval/calibration.h"

namespace projnce::run {

std::string to_text(const RunProgress& p) {
  return nlohmann::ordered_json{{"metrics_bytes", p.metrics_bytes},
                                {"last_accuracy", p.last_accuracy},
                                {"best_accuracy", p.best_accuracy},
                                {"best_epoch", p.best_epoch},
                                {"last_top5", p.last_top5},
                                {"validation_accuracy", p.validation_accuracy},
                                {"validation_epoch", p.validation_epoch},
                                {"train_seconds", p.train_seconds},
                                {"eval_seconds", p.eval_seconds}}
      .dump();
}

RunProgress progress_from_text(const std::string& text) {
  try {
    const auto json = parse_json(text, "the run state of the checkpoint");
    return {.metrics_bytes = json_count(json.at("metrics_bytes"), "metrics_bytes"),
            .last_accuracy = json.at("last_accuracy"),
            .best_accuracy = json.at("best_accuracy"),
            .best_epoch = json_count(json.at("best_epoch"), "best_epoch"),
            // Checkpoints of older versions do not have these.
            .last_top5 = json.value("last_top5", 0.0),
            .validation_accuracy = json.value("validation_accuracy", -1.0),
            .validation_epoch = json.contains("validation_epoch")
                                    ? json_count(json.at("validation_epoch"), "validation_epoch")
                                    : 0,
            .train_seconds = json.at("train_seconds"),
            .eval_seconds = json.at("eval_seconds")};
  } catch (const nlohmann::json::exception& error) {
    fail("cannot parse the run state of the checkpoint: ", error.what());
  }
}

namespace {

std::vector<eval::Protocol> protocols_of(const inference::Evaluation& evaluation,
                                         const std::vector<std::string>& names) {
  const auto& samples = evaluation.samples;
  return eval::choose_protocols(names, samples.logits.defined(), samples.learned_vectors.defined());
}

/// Readouts to choose from; the preferred one first.
std::vector<eval::Protocol> readout_candidates(const inference::Evaluation& evaluation,
                                               const config::EvalOptions& options) {
  const bool choose = options.readout == "auto" && evaluation.validation;
  return protocols_of(evaluation, {choose ? "all" : options.readout});
}

/// Fits the linear probe once for all protocols that use it.
void fit_shared_probe(inference::Evaluation& evaluation, const std::vector<eval::Protocol>& used) {
  auto& samples = evaluation.samples;
  if (std::find(used.begin(), used.end(), eval::Protocol::kProbe) == used.end()) return;
  samples.probe = eval::fit_linear_probe(samples.reference.features, samples.reference.labels,
                                         samples.num_classes);
  if (evaluation.validation) evaluation.validation->probe = samples.probe;
}

struct ChosenReadout {
  eval::Protocol protocol;
  double validation_accuracy;
};

ChosenReadout choose_readout(const inference::Evaluation& evaluation,
                             const std::vector<eval::Protocol>& candidates,
                             const eval::KnnOptions& knn) {
  ChosenReadout chosen{candidates.front(), -1};
  if (!evaluation.validation) return chosen;
  for (const auto protocol : candidates) {
    const double accuracy =
        inference::evaluate_protocol(*evaluation.validation, protocol, knn).accuracy.top1;
    if (accuracy > chosen.validation_accuracy) chosen = {protocol, accuracy};
  }
  return chosen;
}

void calibrate(const inference::Evaluation& evaluation, const eval::KnnOptions& knn,
               Delivery& delivery) {
  const auto protocol = delivery.readout.protocol;
  const auto scores_of = [&](const inference::EvalInputs& samples) {
    return inference::scaled_scores(protocol, inference::protocol_scores(samples, protocol, knn));
  };
  const auto& test_labels = evaluation.samples.test.labels;
  const auto& fitted = evaluation.validation ? *evaluation.validation : evaluation.samples;
  if (fitted.test.labels.size(0) == 0) return;
  delivery.calibrated_on = evaluation.validation ? "validation" : "test";
  delivery.readout.temperature = eval::fit_temperature(scores_of(fitted), fitted.test.labels);
  if (test_labels.size(0) == 0) return;
  const auto scores = scores_of(evaluation.samples);
  delivery.calibration_error = eval::calibration_error(
      evaluation.validation ? eval::tempered_softmax(scores, delivery.readout.temperature)
                            : eval::cross_fitted_probabilities(scores, test_labels),
      test_labels);
}

}  // namespace

Delivery make_delivery(inference::Evaluation& evaluation, const config::EvalOptions& options,
                       DeliveredEpoch epoch) {
  const auto candidates = readout_candidates(evaluation, options);
  auto used = protocols_of(evaluation, options.final_protocols);
  used.insert(used.end(), candidates.begin(), candidates.end());
  fit_shared_probe(evaluation, used);
  const auto chosen = choose_readout(evaluation, candidates, options.knn);
  Delivery delivery{
      .epoch = epoch,
      .readout = inference::make_readout(chosen.protocol, evaluation.samples, options.knn),
      .result = inference::evaluate_protocol(evaluation.samples, chosen.protocol, options.knn)};
  calibrate(evaluation, options.knn, delivery);
  if (evaluation.validation) {
    delivery.validation_samples = evaluation.validation->test.labels.size(0);
    delivery.validation_accuracy = chosen.validation_accuracy;
  }
  return delivery;
}

ReportedAccuracy reported_accuracy(const Delivery& delivery, const RunProgress& progress,
                                   config::EvalReport report,
                                   const dataset::DatasetOptions& dataset) {
  ReportedAccuracy accuracy{
      .last = progress.last_accuracy,
      .last_top5 = progress.last_top5,
      .best = progress.best_accuracy,
      .best_epoch = progress.best_epoch,
      .reported = delivery.result.accuracy.top1,
      .reported_epoch = delivery.epoch.rule == inference::EpochRule::kLast ? "last" : "validation",
      .report = report};
  if (report == config::EvalReport::kDelivered) return accuracy;
  const bool noisy = dataset.label_noise.rate > 0 || dataset.feature_noise.deviation > 0;
  accuracy.reported = noisy ? progress.last_accuracy : progress.best_accuracy;
  accuracy.reported_epoch = noisy ? "last" : "best";
  return accuracy;
}

namespace {

/// Results of the readout and of the final protocols. Only the probabilities of the readout are
/// calibrated.
std::vector<FinalProtocol> final_protocols(const inference::EvalInputs& samples,
                                           const config::EvalOptions& options,
                                           const Delivery& delivery) {
  const auto readout = eval::protocol_name(delivery.readout.protocol);
  auto names = eval::with_readout(options.final_protocols, readout);
  names.insert(names.begin(), readout);
  std::vector<FinalProtocol> protocols;
  for (const auto& result : inference::evaluate_protocols(samples, names, options.knn)) {
    auto& added = protocols.emplace_back(FinalProtocol{.result = result});
    if (result.protocol != delivery.readout.protocol || !delivery.calibration_error) continue;
    added.result.calibration_error = delivery.calibration_error;
    added.calibrated = true;
  }
  return protocols;
}

std::optional<inference::InformationReport> final_information(
    const inference::Evaluation& evaluation) {
  if (!evaluation.information) return std::nullopt;
  const auto& test = evaluation.samples.test;
  return inference::measure_information(test.embeddings, test.labels, *evaluation.information);
}

}  // namespace

FinalResults final_results(const inference::Evaluation& evaluation,
                           const config::EvalOptions& options, const Delivery& delivery) {
  const auto& samples = evaluation.samples;
  const auto sizes = torch::bincount(samples.test.labels, {}, samples.num_classes);
  return {.protocols = final_protocols(samples, options, delivery),
          .classes_with_samples = sizes.gt(0).sum().item<int64_t>(),
          .classes_with_few_samples = sizes.lt(eval::kFewTestSamples).sum().item<int64_t>(),
          .retrieval =
              inference::measure_retrieval_report(samples.test.embeddings, samples.test.labels),
          .information = final_information(evaluation)};
}

}  // namespace projnce::run
