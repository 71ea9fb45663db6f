#pragma once

#include <string>
#include <vector>

namespace projnce::eval {

/// The paper's name of the protocol "nearest-centroid", which runs of version 0.1 stored.
inline constexpr const char* kZeroShotName = "zero-shot";

/// Evaluation protocol: how the class of a test sample is predicted.
enum class Protocol {
  kNearestCentroid,  ///< nearest class centroid of the reference samples, by cosine
  kLogits,           ///< classifier trained by the loss (ce, sce)
  kProjection,       ///< nearest class vector learned by the loss (projnce-mlp), by cosine
  kKnn,              ///< weighted votes of the nearest reference samples
  kProbe,            ///< linear classifier fitted to the features of the reference samples
};

/// Returns the name used in configurations, such as "knn".
std::string protocol_name(Protocol protocol);

/// Returns a description, such as "learned class vectors".
std::string protocol_text(Protocol protocol);

/// Parses the name of a protocol; also accepts kZeroShotName. Throws if it is unknown.
Protocol protocol_by_name(const std::string& name);

/// Returns the default protocol of a model: the classifier trained by the loss, otherwise its
/// learned class vectors, otherwise the nearest centroid.
Protocol default_readout(bool has_logits, bool has_learned_vectors);

/// Resolves protocol names: "auto" is default_readout; "paper" is the protocol reported in the
/// paper, logits if available, otherwise nearest-centroid; "all" is every applicable protocol, that
/// of "auto" first. Throws if a name is unknown or does not apply.
std::vector<Protocol> choose_protocols(const std::vector<std::string>& names, bool has_logits,
                                       bool has_learned_vectors);

/// Replaces "auto" in `names` by `readout` and inserts `readout` before "all".
std::vector<std::string> with_readout(const std::vector<std::string>& names,
                                      const std::string& readout);

/// Returns true if one of the protocols needs labeled reference samples.
bool needs_reference(const std::vector<Protocol>& protocols);

}  // namespace projnce::eval
