#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "projnce/eval/accuracy.h"
#include "projnce/eval/information_bounds.h"
#include "projnce/inference/array_files.h"

namespace projnce::inference {

/// Options of the Mixed KSG estimate of I(Z;C).
struct KsgOptions {
  int64_t neighbors = 5;  ///< k
  /// Distance between two classes. 0: 2 for unit vectors, otherwise the widest range of a
  /// coordinate, so that no two samples are further apart than two classes.
  double label_scale = 0;
};

/// Formats the main bound, at the fitted temperature if there is one: "I(Z;C) >= 1.73 ± 0.01 nats";
/// a bound that is not positive is marked as not informative.
std::string short_text(const eval::InformationBounds& bounds);

/// Mixed KSG estimate of I(Z;C), in nats.
struct KsgEstimate {
  double value = 0;
  std::optional<eval::Interval> interval = {};  ///< 95 % interval; empty with too few samples
};

/// Mutual information of embeddings and labels, in nats.
struct InformationReport {
  int64_t samples = 0;
  int64_t dimensions = 0;    ///< of an embedding
  int64_t classes = 0;       ///< number of classes that occur
  double label_entropy = 0;  ///< H(C), the upper limit
  eval::InformationBounds bounds = {};
  std::optional<KsgEstimate> ksg = {};  ///< empty if it cannot be estimated
  std::string withheld = {};            ///< why there is no estimate; empty if there is one
  int64_t neighbors = 0;                ///< k of the estimate
  double label_scale = 0;               ///< distance between two classes in the estimate
};

/// Measures the mutual information of embeddings [N, D] and labels [N] in 0 .. C - 1: the label
/// entropy, and the Mixed KSG estimate with its interval, in addition to `bounds`. There is no
/// estimate if a class has at most `neighbors` samples, or if there is only one class.
InformationReport measure_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                      const eval::InformationBounds& bounds,
                                      const KsgOptions& options = {});

/// Request of `projnce mi`, for .npy files or a table.
struct ArrayInformationRequest {
  std::filesystem::path embeddings;  ///< matrix, one row per sample
  std::filesystem::path labels;      ///< integers
  TableRequest table = {};           ///< instead of `embeddings` and `labels`
  std::filesystem::path instances =
      {};  ///< integer sample ids, shared by the views of a sample; optional
  /// "uniform" or "estimated", over `num_classes` classes, or a .npy file of probabilities indexed
  /// by label.
  std::string priors = "estimated";
  /// Number of classes of the population; 0: those that occur. With uniform priors, bounds are
  /// certified only if no class is missing in this number.
  int64_t num_classes = 0;
  double temperature = 0.07;
  int64_t folds = 5;
  KsgOptions ksg = {};
};

/// Mutual information of arrays.
struct ArrayInformation {
  InformationReport report;  ///< counts one row per instance
  int64_t folds = 0;         ///< number of cross-validation folds
  std::string priors;        ///< as requested
  int64_t num_classes = 0;   ///< number of classes with a prior
};

/// Computes cross-validated bounds for L2-normalized embeddings, and Mixed KSG with one row per
/// instance.
ArrayInformation information_of_arrays(const ArrayInformationRequest& request,
                                       const Logger& logger);

}  // namespace projnce::inference
