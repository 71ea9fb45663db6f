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

/// What judging works on. `known` are labeled samples, with labels as training had them.
struct EvalInputs {
  EmbeddedSet reference;  ///< undefined tensors where no protocol needs it
  EmbeddedSet test;
  int64_t num_classes = 0;
  torch::Tensor class_vectors;         // [C, D], centroids of the known samples
  torch::Tensor learned_vectors = {};  // [C, D]; undefined: the loss has none of these classes
  torch::Tensor logits = {};           // [N, C] of the test samples; undefined likewise
  eval::LinearProbe probe = {};        ///< undefined tensors: fitted to `known` when needed
  double temperature = 0.07;           ///< of the loss
};

struct ProtocolResult {
  eval::Protocol protocol = eval::Protocol::kZeroShot;
  eval::Accuracy accuracy;
  eval::Interval interval;  ///< 95 % confidence interval of top-1
  /// Of the probabilities behind the predictions; none for protocols that compare cosines.
  std::optional<double> calibration_error = {};
};

/// `knn` with its number of neighbors: 0 stands for 20, or all known samples if there are fewer.
eval::KnnOptions resolve_neighbors(eval::KnnOptions knn, int64_t reference_samples);

/// knn.neighbors = 0 is 20, or all known samples where there are fewer.
ProtocolResult evaluate_protocol(const EvalInputs& samples, eval::Protocol protocol,
                                 const eval::KnnOptions& knn);

/// The scores [N, C] that a protocol predicts the test samples' classes by.
torch::Tensor protocol_scores(const EvalInputs& samples, eval::Protocol protocol,
                              const eval::KnnOptions& knn);

/// The class that samples of class `label` are most often taken for, and how often: "dog (3)"; "-"
/// if all are told right.
std::string most_confused_class(const eval::Accuracy& accuracy, size_t label,
                                const std::vector<std::string>& names);

/// Top-1 with its interval, top-5, and the calibration error where there is one.
nlohmann::ordered_json brief_json(const ProtocolResult& result);

/// The same with samples, accuracy and interval of each class, and the confusion matrix.
nlohmann::ordered_json full_json(const ProtocolResult& result,
                                 const std::vector<std::string>& names);

/// Which epoch's weights a run delivers.
enum class EpochRule {
  kLast,            ///< the last one
  kBestValidation,  ///< the one with the highest accuracy on the validation part
};
std::string epoch_rule_name(EpochRule rule);  ///< "last", "best-validation"

/// How a delivered model turns features and embeddings into classes, with all that this needs
/// besides the model itself.
struct Readout {
  eval::Protocol protocol = eval::Protocol::kZeroShot;
  /// softmax(scores / temperature) are calibrated probabilities; 0: nothing was calibrated.
  double temperature = 0;
  eval::LinearProbe probe = {};             ///< of kProbe
  torch::Tensor reference_embeddings = {};  // [N, D], of kKnn
  torch::Tensor reference_labels = {};      // [N], int64, of kKnn
  eval::KnnOptions knn = {};                ///< of kKnn

  bool calibrated() const { return temperature > 0; }
};

/// The readout of this protocol for a model that was evaluated on `samples`. Not yet calibrated.
Readout make_readout(eval::Protocol protocol, const EvalInputs& samples,
                     const eval::KnnOptions& knn);

/// What temperature scaling works on: logits and cosines as they are, shares of votes as
/// logarithms.
torch::Tensor scaled_scores(eval::Protocol protocol, const torch::Tensor& scores);

/// Calibrated probabilities [N, C] of a readout's scores [N, C]. REQUIRES: calibrated().
torch::Tensor readout_probabilities(const Readout& readout, const torch::Tensor& scores);

}  // namespace projnce::inference
