#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::information {

/// Estimate of I(X;Y) in nats for variables that may be continuous, discrete or a mixture
/// (Gao et al., 2017). Max-norm distances, double precision:
///
///   rho_i = distance to the k-th nearest other row in the joint space, max(dx, dy)
///   rho_i > 0:  k~ = k, n_x = #{j: dx_ij < rho_i}, n_y = #{j: dy_ij < rho_i}      (i counts)
///   rho_i = 0:  k~, n_x, n_y = rows at distance 0 jointly, in x, in y             (i counts)
///   I = mean_i ( psi(k~) + log N - psi(n_x) - psi(n_y) )
///
/// psi is the digamma function, as in the authors' program (their article has log(n+1)). May be
/// slightly negative. x is [N, Dx], y [N, Dy]. Throws unless all values are finite and
/// 1 <= k <= N-1. O(N^2 (Dx + Dy)), but much faster if samples with equal y form clusters in x: a
/// few coordinates then show that two clusters are far apart.
double mixed_ksg(const torch::Tensor& x, const torch::Tensor& y, int64_t k = 5);

/// Options of label_information.
struct LabelInformationOptions {
  /// Number of neighbors.
  int64_t k = 5;
  /// If true, labels are one-hot vectors, which all have the same distance. As plain numbers, class
  /// 1 would be nearer to class 2 than to class 9.
  bool one_hot = true;
  /// Distance between two classes. Samples of one class that are further apart than this may count
  /// as neighbors of other classes; `fitting_label_scale` returns a value that prevents this.
  double label_scale = 2;
};

/// Returns a label_scale for embeddings [N, D] at which no two samples are further apart than two
/// classes: 2 for unit embeddings, otherwise the widest range of a coordinate.
double fitting_label_scale(const torch::Tensor& embeddings);

/// Estimate of I(Z;C) for embeddings [N, D] with labels [N]. Throws if a class has k rows or fewer:
/// their nearest neighbors would belong to other classes, which looks like information (random
/// rows, 3 for each of 10 classes, would give 0.6 of 2.3 nats).
double label_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                         const LabelInformationOptions& options = {});

/// Same without the check of class sizes, for subsets that are compared with each other.
double label_information_unchecked(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                   const LabelInformationOptions& options);

}  // namespace projnce::information
