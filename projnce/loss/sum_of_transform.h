#pragma once

#include <torch/types.h>

#include "projnce/loss/grouped_batch.h"
#include "projnce/loss/pairwise_logsumexp.h"

namespace projnce::loss {

/// What is summed over one set of candidates of each anchor: f(m) of
/// m = log(e^{s_ij} + e^{offset_i}).
struct Transform {
  bool negatives = false;  ///< if true, over the negatives; else over the positives
  /// 0: f(m) = m; above 0: f(m) = (e^{q (m + shift)} - 1) / q.
  double q = 0;
  double shift = 0;
};

/// sum_j f(log(e^{s_ij} + e^{offset_i})) over positives or negatives, [N]; `offset` [N] may hold
/// minus infinity. Differentiable once by anchors, candidates and offset. Time O(N M D), memory
/// O((N + M) D).
/// REQUIRES: classes.
torch::Tensor sum_of_transform(const PairOperands& pairs, const Transform& transform,
                               const torch::Tensor& offset);

/// The mean over the positives (or negatives) of each anchor of a batch, with s_ij = z_i . z_j / t,
/// [N]; 0 if there are none.
torch::Tensor mean_of_transform(const GroupedBatch& batch, double temperature,
                                const Transform& transform, const torch::Tensor& offset);

}  // namespace projnce::loss
