#pragma once

#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "projnce/eval/accuracy.h"
#include "projnce/eval/linear_probe.h"
#include "projnce/eval/nearest_neighbors.h"
#include "projnce/eval/protocol.h"
#include "projnce/inference/embed.h"

namespace projnce::inference {

/// Inputs of an evaluation. `reference` are labeled samples with the labels used in training.
struct EvalInputs {
  EmbeddedSet reference;  ///< undefined tensors if no protocol needs it
  EmbeddedSet test;
  int64_t num_classes = 0;
  torch::Tensor class_vectors;         // [C, D], centroids of the reference samples
  torch::Tensor learned_vectors = {};  // [C, D]; undefined: the loss has none for these classes
  torch::Tensor logits = {};           // [N, C], of the test samples; undefined: same
  eval::LinearProbe probe = {};        ///< undefined tensors: fitted to `reference` if needed
  double temperature = 0.07;           ///< of the loss
  torch::Device device = torch::kCPU;  ///< where nearest neighbors are searched
};

struct ProtocolResult {
  eval::Protocol protocol = eval::Protocol::kNearestCentroid;
  eval::Accuracy accuracy;
  eval::Interval interval;  ///< 95 % confidence interval of top-1
  /// Expected calibration error; empty for protocols with cosine scores.
  std::optional<double> calibration_error = {};
};

/// Replaces knn.neighbors = 0 by 20, or by the number of reference samples if that is smaller.
eval::KnnOptions resolve_neighbors(eval::KnnOptions knn, int64_t reference_samples);

/// Evaluates one protocol on the test samples. For knn.neighbors = 0 see resolve_neighbors.
ProtocolResult evaluate_protocol(const EvalInputs& samples, eval::Protocol protocol,
                                 const eval::KnnOptions& knn);

/// Class scores [N, C] of the test samples.
torch::Tensor protocol_scores(const EvalInputs& samples, eval::Protocol protocol,
                              const eval::KnnOptions& knn);

/// Most frequent wrong prediction for samples of class `label`, with its count: "dog (3)"; "-" if
/// all predictions are correct.
std::string most_confused_class(const eval::Accuracy& accuracy, size_t label,
                                const std::vector<std::string>& names);

/// Top-1 accuracy with its interval, top-5 accuracy, and the calibration error if there is one.
nlohmann::ordered_json brief_json(const ProtocolResult& result);

/// Same as brief_json, with samples, accuracy and interval per class, and the confusion matrix.
nlohmann::ordered_json full_json(const ProtocolResult& result,
                                 const std::vector<std::string>& names);

/// Rule that selects the epoch whose weights a run delivers.
enum class EpochRule {
  kLast,            ///< last epoch
  kBestValidation,  ///< highest accuracy on the validation split
};
std::string epoch_rule_name(EpochRule rule);  ///< "last", "best-validation"

/// How a delivered model predicts classes from features and embeddings, with all data that this
/// needs besides the model.
struct Readout {
  eval::Protocol protocol = eval::Protocol::kNearestCentroid;
  /// softmax(scores / temperature) are calibrated probabilities; 0: not calibrated.
  double temperature = 0;
  eval::LinearProbe probe = {};             ///< for kProbe
  torch::Tensor reference_embeddings = {};  // [N, D], for kKnn
  torch::Tensor reference_labels = {};      // [N], int64, for kKnn
  eval::KnnOptions knn = {};                ///< for kKnn

  bool calibrated() const { return temperature > 0; }
};

/// Makes the readout of a model that was evaluated on `samples`, without calibration.
Readout make_readout(eval::Protocol protocol, const EvalInputs& samples,
                     const eval::KnnOptions& knn);

/// Input of temperature scaling: logits and cosines unchanged, logarithms of vote fractions.
torch::Tensor scaled_scores(eval::Protocol protocol, const torch::Tensor& scores);

/// Calibrated probabilities [N, C] for scores [N, C]. REQUIRES: readout.calibrated().
torch::Tensor readout_probabilities(const Readout& readout, const torch::Tensor& scores);

}  // namespace projnce::inference
