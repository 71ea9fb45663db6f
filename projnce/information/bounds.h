#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce {

/// Lower bounds on I(Z;C) in nats from the value of a loss on N rows.
///
/// They hold only where the projections do not depend on the anchor: leave-one-out centroids, or
/// class vectors from other rows. On the rows that made the class vectors they are optimistic, the
/// more so the more classes there are.

/// 1 + log N - self-p - R, as the paper states it.
double mi_bound_paper(double selfp, double ratio, int64_t rows);

/// 1 + log(N-1) - self-p - R: the constant that fits sums over the N-1 other rows, as in the preset
/// `loo`. NaN for N = 1, where there is none.
double mi_bound_effective(double selfp, double ratio, int64_t rows);

/// log N - L for one vector for each class (g+ = g-, so R = 1); at most the entropy of the labels.
double mi_bound_class(double loss, int64_t rows);

/// The bound to report for class projections: vectors [C, D] made from training rows, applied to
/// held-out rows [N, D] with labels [N] in 0..C-1 (one view of each sample):
///
///   log N - mean_i ( -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t} ),   n_c held-out rows of class
///   c
///
/// Computed in double precision.
double mi_bound_held_out(const torch::Tensor& rows, const torch::Tensor& labels,
                         const torch::Tensor& class_vectors, double temperature);

}  // namespace projnce
