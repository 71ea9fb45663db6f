#include "projnce/inference/protocol_result.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/eval/calibration.h"
#include "projnce/eval/nearest_centroid.h"

namespace projnce::inference {

namespace {

using nlohmann::ordered_json;

constexpr int64_t kDefaultNeighbors = 20;

/// Class scores and, if available, probabilities.
struct ClassScores {
  torch::Tensor scores;              // [N, C]
  torch::Tensor probabilities = {};  // [N, C]; undefined for cosines
};

ClassScores cosine_class_scores(const torch::Tensor& cosines) {
  return {.scores = cosines};
}

ClassScores logit_class_scores(const torch::Tensor& logits) {
  return {logits, logits.softmax(1)};
}

ClassScores knn_class_scores(const EvalInputs& samples, const eval::KnnOptions& knn) {
  const auto& reference = samples.reference;
  const auto& device = samples.device;
  const auto vote_fractions =
      eval::knn_scores(reference.embeddings.to(device), reference.labels.to(device),
                       samples.num_classes, samples.test.embeddings.to(device),
                       resolve_neighbors(knn, reference.labels.size(0)))
          .cpu();
  return {vote_fractions, vote_fractions};
}

ClassScores probe_class_scores(const EvalInputs& samples) {
  const auto probe = samples.probe.weights.defined()
                         ? samples.probe
                         : eval::fit_linear_probe(samples.reference.features,
                                                  samples.reference.labels, samples.num_classes);
  return logit_class_scores(probe.scores(samples.test.features));
}

ClassScores compute_scores(const EvalInputs& samples, eval::Protocol protocol,
                           const eval::KnnOptions& knn) {
  const auto& rows = samples.test.embeddings;
  switch (protocol) {
    case eval::Protocol::kNearestCentroid:
      return cosine_class_scores(eval::cosine_scores(rows, samples.class_vectors));
    case eval::Protocol::kProjection:
      return cosine_class_scores(eval::cosine_scores(
          rows, eval::mask_absent_classes(samples.learned_vectors, samples.class_vectors)));
    case eval::Protocol::kLogits:
      return logit_class_scores(samples.logits);
    case eval::Protocol::kKnn:
      return knn_class_scores(samples, knn);
    case eval::Protocol::kProbe:
      return probe_class_scores(samples);
  }
  fail("unknown protocol");
}

ordered_json interval_json(const eval::Interval& interval) {
  return {interval.low, interval.high};
}

}  // namespace

eval::KnnOptions resolve_neighbors(eval::KnnOptions knn, int64_t reference_samples) {
  if (knn.neighbors == 0) knn.neighbors = std::min(kDefaultNeighbors, reference_samples);
  return knn;
}

ProtocolResult evaluate_protocol(const EvalInputs& samples, eval::Protocol protocol,
                                 const eval::KnnOptions& knn) {
  const auto [scores, probabilities] = compute_scores(samples, protocol, knn);
  ProtocolResult result{.protocol = protocol,
                        .accuracy = eval::measure_accuracy(scores, samples.test.labels)};
  const auto count = result.accuracy.samples;
  result.interval = eval::clopper_pearson_interval(
      std::llround(result.accuracy.top1 * static_cast<double>(count)), count);
  if (count > 0 && probabilities.defined()) {
    result.calibration_error = eval::calibration_error(probabilities, samples.test.labels);
  }
  return result;
}

torch::Tensor protocol_scores(const EvalInputs& samples, eval::Protocol protocol,
                              const eval::KnnOptions& knn) {
  return compute_scores(samples, protocol, knn).scores;
}

std::string most_confused_class(const eval::Accuracy& accuracy, size_t label,
                                const std::vector<std::string>& names) {
  size_t worst = label;
  for (size_t c = 0; c < names.size(); ++c) {
    const auto count = accuracy.confusion[label][c];
    if (c != label && count > (worst == label ? 0 : accuracy.confusion[label][worst])) worst = c;
  }
  return worst == label ? "-" : concat(names[worst], " (", accuracy.confusion[label][worst], ")");
}

ordered_json brief_json(const ProtocolResult& result) {
  ordered_json json = {{"top1", result.accuracy.top1},
                       {"top1_interval", interval_json(result.interval)},
                       {"top5", result.accuracy.top5}};
  if (result.calibration_error) json["calibration_error"] = *result.calibration_error;
  return json;
}

ordered_json full_json(const ProtocolResult& result, const std::vector<std::string>& names) {
  const auto& accuracy = result.accuracy;
  auto json = brief_json(result);
  json["classes"] = ordered_json::array();
  for (size_t c = 0; c < names.size(); ++c) {
    const int64_t total = accuracy.class_samples(c);
    const auto interval = eval::clopper_pearson_interval(accuracy.confusion[c][c], total);
    const auto null_if_empty = [&](const ordered_json& value) {
      return total > 0 ? value : ordered_json();
    };
    json["classes"].push_back({{"name", names[c]},
                               {"samples", total},
                               {"top1", null_if_empty(accuracy.per_class[c])},
                               {"top1_interval", null_if_empty(interval_json(interval))},
                               {"taken_for", most_confused_class(accuracy, c, names)}});
  }
  json["confusion"] = accuracy.confusion;
  return json;
}

namespace {

constexpr double kMinVoteFraction = 1e-6;  // so that the logarithm is finite

}  // namespace

std::string epoch_rule_name(EpochRule rule) {
  return rule == EpochRule::kLast ? "last" : "best-validation";
}

Readout make_readout(eval::Protocol protocol, const EvalInputs& samples,
                     const eval::KnnOptions& knn) {
  Readout readout{.protocol = protocol};
  if (protocol == eval::Protocol::kProbe) {
    readout.probe = samples.probe.weights.defined()
                        ? samples.probe
                        : eval::fit_linear_probe(samples.reference.features,
                                                 samples.reference.labels, samples.num_classes);
  }
  if (protocol == eval::Protocol::kKnn) {
    readout.reference_embeddings = samples.reference.embeddings;
    readout.reference_labels = samples.reference.labels;
    readout.knn = resolve_neighbors(knn, samples.reference.labels.size(0));
  }
  return readout;
}

torch::Tensor scaled_scores(eval::Protocol protocol, const torch::Tensor& scores) {
  return protocol == eval::Protocol::kKnn ? scores.clamp_min(kMinVoteFraction).log() : scores;
}

torch::Tensor readout_probabilities(const Readout& readout, const torch::Tensor& scores) {
  return eval::tempered_softmax(scaled_scores(readout.protocol, scores), readout.temperature);
}

}  // namespace projnce::inference
