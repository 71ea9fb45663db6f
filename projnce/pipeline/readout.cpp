#include "projnce/pipeline/readout.h"

#include <torch/types.h>

#include "projnce/eval/temperature_scaling.h"

namespace projnce {

namespace {

constexpr double kSmallestShare = 1e-6;  // of votes: its logarithm must be finite

}  // namespace

std::string epoch_rule_name(EpochRule rule) {
  return rule == EpochRule::kLast ? "last" : "best-validation";
}

Readout make_readout(Protocol protocol, const JudgedSamples& samples, const KnnOptions& knn) {
  Readout readout{.protocol = protocol};
  if (protocol == Protocol::kProbe) {
    readout.probe =
        samples.probe.weights.defined()
            ? samples.probe
            : fit_linear_probe(samples.known.features, samples.known.labels, samples.num_classes);
  }
  if (protocol == Protocol::kKnn) {
    readout.known_embeddings = samples.known.embeddings;
    readout.known_labels = samples.known.labels;
    readout.knn = resolve_neighbors(knn, samples.known.labels.size(0));
  }
  return readout;
}

torch::Tensor scaled_scores(Protocol protocol, const torch::Tensor& scores) {
  return protocol == Protocol::kKnn ? scores.clamp_min(kSmallestShare).log() : scores;
}

torch::Tensor readout_probabilities(const Readout& readout, const torch::Tensor& scores) {
  return tempered_softmax(scaled_scores(readout.protocol, scores), readout.temperature);
}

}  // namespace projnce
