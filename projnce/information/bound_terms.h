#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::information {

/// log mean_k e^{z_i.h_k / tau} over all `candidates` h [K, D], for each row z [N, D]: [N] float64.
/// Scores are computed in tiles and never stored. REQUIRES: float64 rows on the CPU, K >= 1.
torch::Tensor log_mean_exp(const torch::Tensor& rows, const torch::Tensor& candidates,
                           double temperature);

/// The same over the rows of other instances: `instances` [N] int64 are ids, masked pairs never
/// enter a sum. -infinity for a row without any.
torch::Tensor log_mean_exp_of_others(const torch::Tensor& rows, const torch::Tensor& instances,
                                     double temperature);

/// Prior probabilities pi of M classes, which the bounds of mi_bounds.h need. They are a property
/// of the population and never the label frequencies of the rows that are evaluated.
struct ClassPriors {
  /// M. Classes that the evaluated rows do not contain count too.
  int64_t num_classes = 0;
  /// [M], floating point, sum 1 to within 1e-6, above 0 for each class that occurs. Undefined:
  /// uniform, 1 / M.
  torch::Tensor values;
  /// The priors are an estimate rho from other rows. Bounds then subtract KL(f || rho), f being the
  /// label frequencies of all evaluated rows: without this their expectation may exceed I(Z;C) by
  /// KL(pi || rho).
  bool estimated = false;
};

/// Estimated priors (n_c + 1/2) / (n + M/2) from the labels [n] of training rows, in 0..M-1.
ClassPriors smoothed_priors(const torch::Tensor& labels, int64_t num_classes);

/// The priors as [M] float64 that sum to 1. Throws if they have another length, hold a negative
/// number or one that is not finite, do not sum to 1, or are 0 for a class in `labels`; also if a
/// label is outside 0..M-1.
torch::Tensor checked_priors(const ClassPriors& priors, const torch::Tensor& labels);

/// log(f_c / pi_c) for each class, [M] float64, 0 for classes without rows; f are the frequencies
/// of `labels` and `priors` come from checked_priors(). Its mean over the rows is KL(f || pi).
torch::Tensor log_frequency_ratio(const torch::Tensor& labels, const torch::Tensor& priors);

/// Ratios r_i(c) of each row, from which mi_bounds.h makes its terms. Both [N] float64.
struct RatioTerms {
  torch::Tensor log_ratio;       ///< log r_i(c_i)
  torch::Tensor log_mean_ratio;  ///< log sum_c pi_c r_i(c)
};

// REQUIRES, of all: float64 tensors on the CPU, labels in 0..M-1, priors [M] that sum to 1.

/// Pair form; the formula is at pair_bound(). `instances` [N] int64.
RatioTerms pair_ratio_terms(const torch::Tensor& rows, const torch::Tensor& labels,
                            const torch::Tensor& instances, const torch::Tensor& priors,
                            double temperature);

/// General form, given log_a_i = log mean_k e^{z_i.h_k / tau}, [N]; -infinity: every ratio is 1.
/// The ratio of a class whose vector is NaN is 1.
RatioTerms general_ratio_terms(const torch::Tensor& rows, const torch::Tensor& labels,
                               const torch::Tensor& class_vectors, const torch::Tensor& log_a,
                               const torch::Tensor& priors, double temperature);

/// Class form; the formula is at class_bound(). Ratios are normalized, so log_mean_ratio is 0.
RatioTerms class_ratio_terms(const torch::Tensor& rows, const torch::Tensor& labels,
                             const torch::Tensor& class_vectors, const torch::Tensor& priors,
                             double temperature);

}  // namespace projnce::information
