#pragma once

#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "projnce/eval/accuracy.h"
#include "projnce/eval/interval.h"
#include "projnce/eval/knn.h"
#include "projnce/eval/linear_probe.h"
#include "projnce/pipeline/embed_dataset.h"

namespace projnce {

/// How the class of a test sample is told.
enum class Protocol {
  kZeroShot,    ///< nearest centroid of the known samples, by cosine
  kLogits,      ///< the classifier that the loss trained (ce, sce)
  kProjection,  ///< nearest class vector that the loss learned (projnce-mlp), by cosine
  kKnn,         ///< weighted votes of the nearest known samples
  kProbe,       ///< a linear classifier fitted to the known samples' features
};
std::string protocol_name(Protocol protocol);
/// The protocol in words: "learned class vectors".
std::string protocol_text(Protocol protocol);
/// Throws for an unknown name.
Protocol protocol_by_name(const std::string& name);

/// What judging works on. `known` are labelled samples, with labels as training had them.
struct JudgedSamples {
  EmbeddedSet known;  ///< undefined tensors where no protocol needs it
  EmbeddedSet test;
  int64_t num_classes = 0;
  torch::Tensor class_vectors;         // [C, D], centroids of the known samples
  torch::Tensor learned_vectors = {};  // [C, D]; undefined: the loss has none of these classes
  torch::Tensor logits = {};           // [N, C] of the test samples; undefined likewise
  LinearProbe probe = {};              ///< undefined tensors: fitted to `known` when needed
  double temperature = 0.07;           ///< of the loss
};

/// The readout of a model for which nothing was chosen: the classifier that the loss trained, else
/// the class vectors that it learned, else the nearest centroid.
Protocol default_readout(bool has_logits, bool has_learned_vectors);

/// The protocols that these names mean: "auto" is default_readout; "paper" is what the paper
/// reports, logits if there are some, else zero-shot; "all" is every one that applies, that of
/// "auto" first. Throws for a name that is unknown or does not apply.
std::vector<Protocol> choose_protocols(const std::vector<std::string>& names, bool has_logits,
                                       bool has_learned_vectors);

/// `names` with `readout` in place of "auto" and in front of "all".
std::vector<std::string> with_readout(const std::vector<std::string>& names,
                                      const std::string& readout);

bool needs_known(const std::vector<Protocol>& protocols);

struct Judgement {
  Protocol protocol = Protocol::kZeroShot;
  Accuracy accuracy;
  Interval interval;  ///< 95 % confidence interval of top-1
  /// Of the probabilities behind the predictions; none for protocols that compare cosines.
  std::optional<double> calibration_error = {};
};

/// `knn` with its number of neighbors: 0 stands for 20, or all known samples if there are fewer.
KnnOptions resolve_neighbors(KnnOptions knn, int64_t known_samples);

/// knn.neighbors = 0 is 20, or all known samples where there are fewer.
Judgement judge(const JudgedSamples& samples, Protocol protocol, const KnnOptions& knn);

/// The scores [N, C] that a protocol predicts the test samples' classes by.
torch::Tensor protocol_scores(const JudgedSamples& samples, Protocol protocol,
                              const KnnOptions& knn);

/// The class that samples of class `label` are most often taken for, and how often: "dog (3)"; "-"
/// if all are told right.
std::string most_often_taken_for(const Accuracy& accuracy, size_t label,
                                 const std::vector<std::string>& names);

/// Top-1 with its interval, top-5, and the calibration error where there is one.
nlohmann::ordered_json brief_json(const Judgement& judgement);

/// The same with samples, accuracy and interval of each class, and the confusion matrix.
nlohmann::ordered_json full_json(const Judgement& judgement, const std::vector<std::string>& names);

}  // namespace projnce
