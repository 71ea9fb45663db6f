#pragma once

#include <string>
#include <vector>

namespace projnce::eval {

/// How the class of a test sample is told.
enum class Protocol {
  kZeroShot,    ///< nearest centroid of the known samples, by cosine
  kLogits,      ///< the classifier that the loss trained (ce, sce)
  kProjection,  ///< nearest class vector that the loss learned (projnce-mlp), by cosine
  kKnn,         ///< weighted votes of the nearest known samples
  kProbe,       ///< a linear classifier fitted to the known samples' features
};

/// The name in configurations: "knn".
std::string protocol_name(Protocol protocol);

/// The protocol in words: "learned class vectors".
std::string protocol_text(Protocol protocol);

/// Throws for an unknown name.
Protocol protocol_by_name(const std::string& name);

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

/// True if one of them needs samples with known labels to compare with.
bool needs_reference(const std::vector<Protocol>& protocols);

}  // namespace projnce::eval
