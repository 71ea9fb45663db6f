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

constexpr int64_t kUsualNeighbors = 20;

/// Predictions and the probabilities behind them.
struct ClassScores {
  torch::Tensor scores;              // [N, C]
  torch::Tensor probabilities = {};  // [N, C]; undefined for cosines, which are none
};

ClassScores from_cosines(const torch::Tensor& cosines) {
  return {.scores = cosines};
}

ClassScores from_logits(const torch::Tensor& logits) {
  return {logits, logits.softmax(1)};
}

ClassScores from_votes(const EvalInputs& samples, const eval::KnnOptions& knn) {
  const auto& known = samples.reference;
  const auto shares =
      eval::knn_scores(known.embeddings, known.labels, samples.num_classes, samples.test.embeddings,
                       resolve_neighbors(knn, known.labels.size(0)));
  return {shares, shares};
}

ClassScores from_probe(const EvalInputs& samples) {
  const auto probe = samples.probe.weights.defined()
                         ? samples.probe
                         : eval::fit_linear_probe(samples.reference.features,
                                                  samples.reference.labels, samples.num_classes);
  return from_logits(probe.scores(samples.test.features));
}

ClassScores scores_by(const EvalInputs& samples, eval::Protocol protocol,
                      const eval::KnnOptions& knn) {
  const auto& rows = samples.test.embeddings;
  switch (protocol) {
    case eval::Protocol::kZeroShot:
      return from_cosines(eval::cosine_scores(rows, samples.class_vectors));
    case eval::Protocol::kProjection:
      return from_cosines(eval::cosine_scores(
          rows, eval::mask_absent_classes(samples.learned_vectors, samples.class_vectors)));
    case eval::Protocol::kLogits:
      return from_logits(samples.logits);
    case eval::Protocol::kKnn:
      return from_votes(samples, knn);
    case eval::Protocol::kProbe:
      return from_probe(samples);
  }
  fail("there is no such protocol");
}

ordered_json interval_json(const eval::Interval& interval) {
  return {interval.low, interval.high};
}

}  // namespace

eval::KnnOptions resolve_neighbors(eval::KnnOptions knn, int64_t reference_samples) {
  if (knn.neighbors == 0) knn.neighbors = std::min(kUsualNeighbors, reference_samples);
  return knn;
}

ProtocolResult evaluate_protocol(const EvalInputs& samples, eval::Protocol protocol,
                                 const eval::KnnOptions& knn) {
  const auto [scores, probabilities] = scores_by(samples, protocol, knn);
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
  return scores_by(samples, protocol, knn).scores;
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
  ordered_json result = {{"top1", result.accuracy.top1},
                         {"top1_interval", interval_json(result.interval)},
                         {"top5", result.accuracy.top5}};
  if (result.calibration_error) result["calibration_error"] = *result.calibration_error;
  return result;
}

ordered_json full_json(const ProtocolResult& result, const std::vector<std::string>& names) {
  const auto& accuracy = result.accuracy;
  auto result = brief_json(result);
  result["classes"] = ordered_json::array();
  for (size_t c = 0; c < names.size(); ++c) {
    const int64_t total = accuracy.class_samples(c);
    const auto interval = eval::clopper_pearson_interval(accuracy.confusion[c][c], total);
    const auto if_any = [&](const ordered_json& value) {
      return total > 0 ? value : ordered_json();
    };
    result["classes"].push_back({{"name", names[c]},
                                 {"samples", total},
                                 {"top1", if_any(accuracy.per_class[c])},
                                 {"top1_interval", if_any(interval_json(interval))},
                                 {"taken_for", most_confused_class(accuracy, c, names)}});
  }
  result["confusion"] = accuracy.confusion;
  return result;
}

namespace {

constexpr double kSmallestShare = 1e-6;  // of votes: its logarithm must be finite

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
  return protocol == eval::Protocol::kKnn ? scores.clamp_min(kSmallestShare).log() : scores;
}

torch::Tensor readout_probabilities(const Readout& readout, const torch::Tensor& scores) {
  return eval::tempered_softmax(scaled_scores(readout.protocol, scores), readout.temperature);
}

}  // namespace projnce::inference
