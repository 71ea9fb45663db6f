#include "projnce/pipeline/run_results.h"

#include <torch/types.h>

#include "projnce/pipeline/information_report.h"
#include "projnce/pipeline/retrieval_report.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

ordered_json final_information(const Evaluation& evaluation) {
  if (!evaluation.information) return nullptr;
  const auto& test = evaluation.samples.test;
  return information_json(test.embeddings, test.labels, *evaluation.information);
}

/// How many classes have test samples, and how many have too few to tell their accuracy.
ordered_json count_test_classes(const JudgedSamples& samples) {
  const auto sizes = torch::bincount(samples.test.labels, {}, samples.num_classes);
  return {{"with_samples", sizes.gt(0).sum().item<int64_t>()},
          {"with_few_samples", sizes.lt(kFewTestSamples).sum().item<int64_t>()},
          {"few_below", kFewTestSamples}};
}

}  // namespace

ordered_json final_results(const Evaluation& evaluation, const EvalOptions& options,
                           const Delivery& delivery) {
  const auto& samples = evaluation.samples;
  const auto readout = protocol_name(delivery.readout.protocol);
  auto names = with_readout(options.final_protocols, readout);
  names.insert(names.begin(), readout);
  ordered_json protocols;
  for (const auto& judgement : judge_by(samples, names, options.knn)) {
    protocols[protocol_name(judgement.protocol)] = brief_json(judgement);
  }
  // The delivered model has calibrated probabilities; those of the others are as they come.
  if (delivery.calibration_error) {
    protocols[readout]["calibration_error"] = *delivery.calibration_error;
    protocols[readout]["calibrated"] = true;
  }
  return {{"protocols", protocols},
          {"test_classes", count_test_classes(samples)},
          {"retrieval",
           retrieval_json(measure_retrieval_report(samples.test.embeddings, samples.test.labels))},
          {"information", final_information(evaluation)}};
}

}  // namespace projnce
