#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "projnce/eval/information_bounds.h"

namespace projnce::inference {

/// Options of the Mixed KSG estimate of I(Z;C).
struct KsgOptions {
  int64_t neighbors = 5;  ///< k
  /// Distance between two classes. 0: 2 for unit vectors, otherwise the widest range of a
  /// coordinate, so that no two samples are further apart than two classes.
  double label_scale = 0;
};

/// Returns the bounds with the keys of metrics.jsonl: `mi_bound`, `mi_bound_normalized`,
/// `mi_bound_class`, `mi_bound_class_fitted`, each with its standard error `_se` (null if unknown),
/// `temperature`, `tau_fit`, `rows` and `entropy`. Forms that do not apply are absent.
nlohmann::ordered_json bounds_json(const eval::InformationBounds& bounds);

/// Formats the main bound, at the fitted temperature if there is one: "I(Z;C) >= 1.73 ± 0.01 nats".
std::string short_text(const eval::InformationBounds& bounds);

/// Mutual information of embeddings [N, D] and labels [N] in 0 .. C - 1, in nats: certified lower
/// bounds, the label entropy as upper limit, and the Mixed KSG estimate with its interval. If a
/// class has at most `neighbors` samples, or if there is only one class, `mixed_ksg`, `interval`
/// and `share` are null and `withheld` gives the reason.
nlohmann::ordered_json information_json(const torch::Tensor& embeddings,
                                        const torch::Tensor& labels,
                                        const eval::InformationBounds& bounds,
                                        const KsgOptions& options = {});

/// Request of `projnce mi`, for .npy files.
struct ArrayInformationRequest {
  std::filesystem::path embeddings;  ///< matrix, one row per sample
  std::filesystem::path labels;      ///< integers
  std::filesystem::path instances =
      {};  ///< integer sample ids, shared by the views of a sample; optional
  /// "uniform" or "estimated", over the classes that occur, or a .npy file of probabilities indexed
  /// by label.
  std::string priors = "estimated";
  double temperature = 0.07;
  int64_t folds = 5;
  KsgOptions ksg = {};
};

/// Computes cross-validated bounds for L2-normalized embeddings, and Mixed KSG with one row per
/// instance.
nlohmann::ordered_json information_of_arrays(const ArrayInformationRequest& request);

}  // namespace projnce::inference
