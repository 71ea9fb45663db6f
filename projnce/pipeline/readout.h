#pragma once

#include <torch/types.h>

#include <string>

#include "projnce/eval/knn.h"
#include "projnce/eval/linear_probe.h"
#include "projnce/pipeline/judge.h"

namespace projnce {

/// Which epoch's weights a run delivers.
enum class EpochRule {
  kLast,            ///< the last one
  kBestValidation,  ///< the one with the highest accuracy on the validation part
};
std::string epoch_rule_name(EpochRule rule);  ///< "last", "best-validation"

/// How a delivered model turns features and embeddings into classes, with all that this needs
/// besides the model itself.
struct Readout {
  Protocol protocol = Protocol::kZeroShot;
  /// softmax(scores / temperature) are calibrated probabilities; 0: nothing was calibrated.
  double temperature = 0;
  LinearProbe probe = {};               ///< of kProbe
  torch::Tensor known_embeddings = {};  // [N, D], of kKnn
  torch::Tensor known_labels = {};      // [N], int64, of kKnn
  KnnOptions knn = {};                  ///< of kKnn

  bool calibrated() const { return temperature > 0; }
};

/// The readout of this protocol for a model that was evaluated on `samples`. Not yet calibrated.
Readout make_readout(Protocol protocol, const JudgedSamples& samples, const KnnOptions& knn);

/// What temperature scaling works on: logits and cosines as they are, shares of votes as
/// logarithms.
torch::Tensor scaled_scores(Protocol protocol, const torch::Tensor& scores);

/// Calibrated probabilities [N, C] of a readout's scores [N, C]. REQUIRES: calibrated().
torch::Tensor readout_probabilities(const Readout& readout, const torch::Tensor& scores);

}  // namespace projnce
