#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "projnce/eval/information_bounds.h"

namespace projnce::inference {

/// How Mixed KSG estimates I(Z;C).
struct KsgOptions {
  int64_t neighbors = 5;  ///< k
  /// Distance between two classes. 0: 2 for embeddings of unit length; for others the widest range
  /// of a coordinate, so that no two samples lie further apart than two classes.
  double label_scale = 0;
};

/// The bounds under the names of metrics.jsonl: `mi_bound`, `mi_bound_normalized`,
/// `mi_bound_class`, `mi_bound_class_fitted`, each with its standard error `_se` (null if there is
/// none), `temperature`, `tau_fit`, `rows` and `entropy`. Forms that do not apply are absent.
nlohmann::ordered_json bounds_json(const eval::InformationBounds& bounds);

/// The bound to show first, at the fitted temperature if there is one:
/// "I(Z;C) >= 1.73 ± 0.01 nats".
std::string short_text(const eval::InformationBounds& bounds);

/// What embeddings [N, D] tell about labels [N] in 0 .. C - 1, in nats: certified lower bounds, the
/// entropy of the labels as the ceiling, and Mixed KSG, an estimate, with its interval. If a class
/// has no more samples than neighbors, or there is one class only, `mixed_ksg`, `interval` and
/// `share` are null and `withheld` says why.
nlohmann::ordered_json information_json(const torch::Tensor& embeddings,
                                        const torch::Tensor& labels,
                                        const eval::InformationBounds& bounds,
                                        const KsgOptions& options = {});

/// `projnce mi`: .npy files that any program wrote.
struct ArrayInformationRequest {
  std::filesystem::path embeddings;      ///< matrix, a row for each sample
  std::filesystem::path labels;          ///< whole numbers
  std::filesystem::path instances = {};  ///< whole numbers that views of a sample share; optional
  /// "uniform" and "estimated" are over the classes that occur. Otherwise a .npy file of
  /// probabilities by label.
  std::string priors = "estimated";
  double temperature = 0.07;
  int64_t folds = 5;
  KsgOptions ksg = {};
};

/// Cross-validated bounds of embeddings of unit length, and Mixed KSG of one row of each instance.
nlohmann::ordered_json information_of_arrays(const ArrayInformationRequest& request);

}  // namespace projnce::inference
