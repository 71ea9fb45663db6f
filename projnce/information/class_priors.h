#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce {

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

}  // namespace projnce
