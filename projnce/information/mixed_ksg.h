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
/// psi is the digamma function, as in the authors' program (their article prints log(n+1)). May be
/// slightly negative. x is [N, Dx], y [N, Dy]; 1 <= k <= N-1; a value that is not finite, or
/// another k, throws. O(N^2 (Dx + Dy)), most of it spared where samples with equal y lie together
/// in x: groups that are far apart are told by few coordinates.
double mixed_ksg(const torch::Tensor& x, const torch::Tensor& y, int64_t k = 5);

/// How labels are put into the space of label_information.
struct LabelInformationOptions {
  /// Neighbors.
  int64_t k = 5;
  /// Labels as one-hot vectors, all equally far from each other. As plain numbers, class 1 is
  /// nearer to 2 than to 9 once neighbors lie a distance of 1 apart.
  bool one_hot = true;
  /// Distance between two classes. Samples of a class that are further apart than this are taken
  /// for neighbors of other classes; `fitting_label_scale` gives a value for which none are.
  double label_scale = 2;
};

/// A label_scale at which no two samples lie further apart than two classes, for any embeddings
/// [N, D]: 2 if all are of unit length, else the widest range of a coordinate.
double fitting_label_scale(const torch::Tensor& embeddings);

/// I(Z;C) of embeddings [N, D] with labels [N]. Throws if a class has k rows or fewer: their k
/// nearest neighbors then lie in other classes, which looks like information (random rows with 3
/// of each of 10 classes would give 0.6 of 2.3 nats).
double label_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                         const LabelInformationOptions& options = {});

/// The same without the check of class sizes, for parts of a sample whose values are compared with
/// each other.
double label_information_unchecked(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                   const LabelInformationOptions& options);

}  // namespace projnce::information
