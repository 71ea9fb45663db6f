#include "projnce/pipeline/judge.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/eval/calibration.h"
#include "projnce/eval/nearest_centroid.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

constexpr int64_t kUsualNeighbors = 20;

struct ProtocolRow {
  Protocol protocol;
  const char* name;
  const char* text;
};
constexpr ProtocolRow kProtocols[] = {
    {Protocol::kZeroShot, "zero-shot", "nearest centroid"},
    {Protocol::kLogits, "logits", "trained classifier"},
    {Protocol::kProjection, "projection", "learned class vectors"},
    {Protocol::kKnn, "knn", "k nearest neighbors"},
    {Protocol::kProbe, "probe", "linear probe"}};

const ProtocolRow& row_of(Protocol protocol) {
  return *std::find_if(std::begin(kProtocols), std::end(kProtocols),
                       [&](const auto& row) { return row.protocol == protocol; });
}

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

ClassScores from_votes(const JudgedSamples& samples, const KnnOptions& knn) {
  const auto& known = samples.known;
  const auto shares =
      knn_scores(known.embeddings, known.labels, samples.num_classes, samples.test.embeddings,
                 resolve_neighbors(knn, known.labels.size(0)));
  return {shares, shares};
}

ClassScores from_probe(const JudgedSamples& samples) {
  const auto probe =
      samples.probe.weights.defined()
          ? samples.probe
          : fit_linear_probe(samples.known.features, samples.known.labels, samples.num_classes);
  return from_logits(probe.scores(samples.test.features));
}

ClassScores scores_by(const JudgedSamples& samples, Protocol protocol, const KnnOptions& knn) {
  const auto& rows = samples.test.embeddings;
  switch (protocol) {
    case Protocol::kZeroShot:
      return from_cosines(cosine_scores(rows, samples.class_vectors));
    case Protocol::kProjection:
      return from_cosines(
          cosine_scores(rows, mask_absent_classes(samples.learned_vectors, samples.class_vectors)));
    case Protocol::kLogits:
      return from_logits(samples.logits);
    case Protocol::kKnn:
      return from_votes(samples, knn);
    case Protocol::kProbe:
      return from_probe(samples);
  }
  fail("there is no such protocol");
}

ordered_json interval_json(const Interval& interval) {
  return {interval.low, interval.high};
}

}  // namespace

std::string protocol_name(Protocol protocol) {
  return row_of(protocol).name;
}

std::string protocol_text(Protocol protocol) {
  return row_of(protocol).text;
}

Protocol protocol_by_name(const std::string& name) {
  std::vector<std::string> names = {"auto", "paper", "all"};
  for (const auto& row : kProtocols) {
    if (name == row.name) return row.protocol;
    names.emplace_back(row.name);
  }
  fail_unknown("protocol", name, names);
}

Protocol default_readout(bool has_logits, bool has_learned_vectors) {
  if (has_logits) return Protocol::kLogits;
  return has_learned_vectors ? Protocol::kProjection : Protocol::kZeroShot;
}

std::vector<std::string> with_readout(const std::vector<std::string>& names,
                                      const std::string& readout) {
  std::vector<std::string> resolved;
  for (const auto& name : names) {
    if (name == "auto" || name == "all") resolved.push_back(readout);
    if (name != "auto") resolved.push_back(name);
  }
  return resolved;
}

std::vector<Protocol> choose_protocols(const std::vector<std::string>& names, bool has_logits,
                                       bool has_learned_vectors) {
  std::vector<Protocol> chosen;
  const auto add = [&](Protocol protocol) {
    if (std::find(chosen.begin(), chosen.end(), protocol) == chosen.end()) {
      chosen.push_back(protocol);
    }
  };
  for (const auto& name : names) {
    if (name == "paper") {
      add(default_readout(has_logits, /*has_learned_vectors=*/false));
      continue;
    }
    if (name == "auto" || name == "all") {
      add(default_readout(has_logits, has_learned_vectors));
      if (name == "auto") continue;
      add(Protocol::kZeroShot);
      if (has_learned_vectors) add(Protocol::kProjection);
      add(Protocol::kKnn);
      add(Protocol::kProbe);
      continue;
    }
    const auto protocol = protocol_by_name(name);
    if (protocol == Protocol::kLogits && !has_logits) {
      fail("there are no logits to judge by: the loss trained no classifier of these classes");
    }
    if (protocol == Protocol::kProjection && !has_learned_vectors) {
      fail("there is no projection to judge by: the loss learned no vectors for these classes");
    }
    add(protocol);
  }
  if (chosen.empty()) fail("no protocol is given, expected one or more");
  return chosen;
}

bool needs_known(const std::vector<Protocol>& protocols) {
  return std::any_of(protocols.begin(), protocols.end(), [](Protocol protocol) {
    return protocol == Protocol::kKnn || protocol == Protocol::kProbe;
  });
}

KnnOptions resolve_neighbors(KnnOptions knn, int64_t known_samples) {
  if (knn.neighbors == 0) knn.neighbors = std::min(kUsualNeighbors, known_samples);
  return knn;
}

Judgement judge(const JudgedSamples& samples, Protocol protocol, const KnnOptions& knn) {
  const auto [scores, probabilities] = scores_by(samples, protocol, knn);
  Judgement result{.protocol = protocol, .accuracy = measure_accuracy(scores, samples.test.labels)};
  const auto count = result.accuracy.samples;
  result.interval = clopper_pearson_interval(
      std::llround(result.accuracy.top1 * static_cast<double>(count)), count);
  if (count > 0 && probabilities.defined()) {
    result.calibration_error = calibration_error(probabilities, samples.test.labels);
  }
  return result;
}

torch::Tensor protocol_scores(const JudgedSamples& samples, Protocol protocol,
                              const KnnOptions& knn) {
  return scores_by(samples, protocol, knn).scores;
}

std::string most_often_taken_for(const Accuracy& accuracy, size_t label,
                                 const std::vector<std::string>& names) {
  size_t worst = label;
  for (size_t c = 0; c < names.size(); ++c) {
    const auto count = accuracy.confusion[label][c];
    if (c != label && count > (worst == label ? 0 : accuracy.confusion[label][worst])) worst = c;
  }
  return worst == label ? "-" : concat(names[worst], " (", accuracy.confusion[label][worst], ")");
}

ordered_json brief_json(const Judgement& judgement) {
  ordered_json result = {{"top1", judgement.accuracy.top1},
                         {"top1_interval", interval_json(judgement.interval)},
                         {"top5", judgement.accuracy.top5}};
  if (judgement.calibration_error) result["calibration_error"] = *judgement.calibration_error;
  return result;
}

ordered_json full_json(const Judgement& judgement, const std::vector<std::string>& names) {
  const auto& accuracy = judgement.accuracy;
  auto result = brief_json(judgement);
  result["classes"] = ordered_json::array();
  for (size_t c = 0; c < names.size(); ++c) {
    const int64_t total = accuracy.class_samples(c);
    const auto interval = clopper_pearson_interval(accuracy.confusion[c][c], total);
    const auto if_any = [&](const ordered_json& value) {
      return total > 0 ? value : ordered_json();
    };
    result["classes"].push_back({{"name", names[c]},
                                 {"samples", total},
                                 {"top1", if_any(accuracy.per_class[c])},
                                 {"top1_interval", if_any(interval_json(interval))},
                                 {"taken_for", most_often_taken_for(accuracy, c, names)}});
  }
  result["confusion"] = accuracy.confusion;
  return result;
}

}  // namespace projnce
