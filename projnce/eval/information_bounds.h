#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "projnce/information/mi_bounds.h"

namespace projnce::eval {

/// A certified bound in nats with its standard error, which is unknown for a single small sample.
struct BoundEstimate {
  double value = 0;          ///< in nats
  std::optional<double> se;  ///< standard error, if it is known
};

/// Certified lower bounds on I(Z;C) of one model (mi_bounds.h); unset if a form does not apply.
struct InformationBounds {
  std::optional<BoundEstimate> pair;             ///< `mi_bound`: pair or general form
  std::optional<BoundEstimate> pair_normalized;  ///< `mi_bound_normalized`
  std::optional<BoundEstimate> by_class;         ///< `mi_bound_class`, at `temperature`
  std::optional<BoundEstimate> by_class_fitted;  ///< the same at `fitted_temperature`
  double temperature = 0;                        ///< temperature of the pair form and `by_class`
  double fitted_temperature = 0;                 ///< 0 without `by_class_fitted`
  int64_t rows = 0;                              ///< number of evaluated rows
  double entropy = 0;                            ///< H(C), an upper bound of all values
};

/// Returns the temperature that maximizes the class form of rows [N, D] with labels [N] and class
/// vectors [M, D]; rows of classes without a vector (NaN) are skipped. Large inputs are subsampled
/// evenly. Fit it on other rows than those that are evaluated.
double fit_class_temperature(const torch::Tensor& rows, const torch::Tensor& labels,
                             const torch::Tensor& class_vectors,
                             const information::ClassPriors& priors);

/// Held-out rows, and quantities learned from other rows. Requires class vectors or logits.
struct HeldOutRows {
  information::LabeledRows rows;     ///< rows to evaluate
  torch::Tensor class_vectors = {};  ///< [M, D]; NaN for a class that has none
  torch::Tensor logits = {};         ///< [N, M] of a trained classifier, in place of class vectors
  /// [K, D]: rows to fit the temperature on; if undefined, it is not fitted.
  torch::Tensor reference_rows = {};
  torch::Tensor reference_labels = {};  ///< [K]: their labels
  /// [K, D]: negatives of the class vectors. If defined, `pair` and `pair_normalized` use the
  /// general form.
  torch::Tensor negatives = {};
  bool pairs = true;  ///< if true, also computes the pair form unless `negatives` is defined
};

/// Computes the bounds of held-out rows; the pair form and `by_class` use `temperature`.
InformationBounds held_out_bounds(const HeldOutRows& held_out,
                                  const information::ClassPriors& priors, double temperature);

/// Options of cross_validated_bounds.
struct CrossValidationOptions {
  int64_t folds = 5;          ///< at least 2, at most the number of instances
  double temperature = 0.07;  ///< temperature of the pair form and `by_class`
  /// Known class priors of the population. If `estimated`, smoothed label frequencies of the other
  /// folds are used and `values` is ignored.
  information::ClassPriors priors;
  uint64_t seed = 0;  ///< seed of the fold assignment
};

/// Computes the bounds by cross-validation, for rows without separate reference data: random folds
/// of instances; centroids, the fitted temperature and estimated priors come from the other folds,
/// and the pair form is computed within each fold. Values are means over the folds.
InformationBounds cross_validated_bounds(const information::LabeledRows& rows,
                                         const CrossValidationOptions& options);

}  // namespace projnce::eval
