#include "projnce/run/training_summary.h"

#include "projnce/core/version.h"
#include "projnce/eval/accuracy.h"
#include "projnce/inference/results_json.h"

namespace projnce::run {

namespace {

using nlohmann::ordered_json;

ordered_json summary_data(const TrainingSummary& summary) {
  auto json = data::data_json(summary.data);
  for (const auto& [name, fingerprint] : summary.fingerprints) json[name] = fingerprint;
  return json;
}

ordered_json sample_counts(const TrainingSummary& summary) {
  ordered_json json = {{"train", summary.train_samples},
                       {"test", summary.test_samples},
                       {"skipped", summary.skipped_samples}};
  if (summary.validation_samples) json["validation"] = *summary.validation_samples;
  return json;
}

ordered_json accuracy_json(const ReportedAccuracy& accuracy) {
  const bool delivered = accuracy.report == config::EvalReport::kDelivered;
  return {{"last", accuracy.last},
          {"last_top5", accuracy.last_top5},
          {"best", accuracy.best},
          {"best_epoch", accuracy.best_epoch},
          {"reported", accuracy.reported},
          {"reported_epoch", accuracy.reported_epoch},
          {"report", delivered ? "delivered" : "best-test-epoch"}};
}

ordered_json protocols_json(const std::vector<FinalProtocol>& protocols) {
  ordered_json json;
  for (const auto& entry : protocols) {
    auto& added = json[eval::protocol_name(entry.result.protocol)];
    added = inference::brief_json(entry.result);
    if (entry.calibrated) added["calibrated"] = true;
  }
  return json;
}

/// Adds the entries of the final evaluation.
void add_results(ordered_json& json, const FinalResults& results) {
  json["protocols"] = protocols_json(results.protocols);
  json["test_classes"] = {{"with_samples", results.classes_with_samples},
                          {"with_few_samples", results.classes_with_few_samples},
                          {"few_below", eval::kFewTestSamples}};
  json["retrieval"] = inference::retrieval_json(results.retrieval);
  json["information"] =
      results.information ? inference::information_json(*results.information) : ordered_json();
}

}  // namespace

ordered_json delivery_json(const Delivery& delivery) {
  const auto protocol = delivery.readout.protocol;
  ordered_json json{{"epoch", delivery.epoch.epoch},
                    {"epochs", delivery.epoch.epochs},
                    {"rule", inference::epoch_rule_name(delivery.epoch.rule)},
                    {"readout", eval::protocol_name(protocol)},
                    {"readout_text", eval::protocol_text(protocol)}};
  json.update(inference::brief_json(delivery.result));
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

ordered_json summary_json(const TrainingSummary& summary) {
  ordered_json json;
  json["run"] = summary.run.string();
  json["version"] = kVersion;
  json["dataset"] = summary.dataset;
  json["data"] = summary_data(summary);
  json["loss"] = summary.loss;
  json["encoder"] = summary.encoder;
  json["seed"] = summary.seed;
  json["label_noise"] = summary.label_noise;
  json["wrong_labels"] = summary.wrong_labels;
  json["samples"] = sample_counts(summary);
  json["classes"] = summary.classes;
  json["epochs"] = summary.epochs;
  json["protocol"] = eval::protocol_name(summary.delivery.readout.protocol);
  json["delivered"] = delivery_json(summary.delivery);
  json["accuracy"] = accuracy_json(summary.accuracy);
  add_results(json, summary.results);
  json["images_per_second"] = summary.images_per_second;
  json["ranks"] = summary.ranks;
  json["seconds"] = {{"train", summary.train_seconds},
                     {"waiting_for_data", summary.waiting_seconds},
                     {"eval", summary.eval_seconds},
                     {"total", summary.train_seconds + summary.eval_seconds}};
  return json;
}

}  // namespace projnce::run
