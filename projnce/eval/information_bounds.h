#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "projnce/information/mi_bounds.h"

namespace projnce::eval {

/// A certified bound in nats with its standard error, which a single small sample does not have.
struct BoundEstimate {
  double value = 0;          ///< in nats
  std::optional<double> se;  ///< standard error, if it is known
};

/// Certified lower bounds on I(Z;C) of one model (mi_bounds.h). None: the form does not apply.
struct InformationBounds {
  std::optional<BoundEstimate> pair;             ///< `mi_bound`: pair or general form
  std::optional<BoundEstimate> pair_normalized;  ///< `mi_bound_normalized`
  std::optional<BoundEstimate> by_class;         ///< `mi_bound_class`, at `temperature`
  std::optional<BoundEstimate> by_class_fitted;  ///< the same at `fitted_temperature`
  double temperature = 0;                        ///< of the pair form and of `by_class`
  double fitted_temperature = 0;                 ///< 0 without `by_class_fitted`
  int64_t rows = 0;                              ///< evaluated
  double entropy = 0;                            ///< H(C), which no value can exceed
};

/// The temperature at which the class form of rows [N, D] with labels [N] and class vectors [M, D]
/// is largest; rows of classes without a vector (NaN) are skipped. Many rows are thinned out
/// evenly. Fit it on other rows than those that are evaluated.
double fit_class_temperature(const torch::Tensor& rows, const torch::Tensor& labels,
                             const torch::Tensor& class_vectors,
                             const information::ClassPriors& priors);

/// Held-out rows, and what was learned from other rows. Class vectors or logits must be given.
struct HeldOutRows {
  information::LabeledRows rows;     ///< that are evaluated
  torch::Tensor class_vectors = {};  ///< [M, D]; NaN for a class that has none
  torch::Tensor logits = {};         ///< [N, M] of a trained classifier, in place of class vectors
  /// [K, D]: the rows that the temperature is fitted on; undefined: it is not fitted.
  torch::Tensor reference_rows = {};
  torch::Tensor reference_labels = {};  ///< [K]: their labels
  /// [K, D]: vectors that the class vectors are contrasted with. If defined, `pair` and
  /// `pair_normalized` are of the general form.
  torch::Tensor negatives = {};
  bool pairs = true;  ///< compute the pair form too, if there are no `negatives`
};

/// Bounds of held-out rows; the pair form and `by_class` at `temperature`.
InformationBounds held_out_bounds(const HeldOutRows& held_out,
                                  const information::ClassPriors& priors, double temperature);

/// How cross_validated_bounds works.
struct CrossValidationOptions {
  int64_t folds = 5;          ///< at least 2, at most the number of instances
  double temperature = 0.07;  ///< of the pair form and of `by_class`
  /// Known priors of the population. `estimated`: smoothed label frequencies of the other folds,
  /// and `values` is not used.
  information::ClassPriors priors;
  uint64_t seed = 0;  ///< assigns instances to folds
};

/// Bounds of rows for which there is nothing else: random folds of instances; centroids, the fitted
/// temperature and estimated priors come from the other folds, the pair form is computed within
/// each fold. Values are means over the folds.
InformationBounds cross_validated_bounds(const information::LabeledRows& rows,
                                         const CrossValidationOptions& options);

}  // namespace projnce::eval
