#pragma once

#include <torch/types.h>

#include "projnce/loss/contrast_rows.h"
#include "projnce/loss/projected_scores.h"

namespace projnce {

/// The pieces of self-p + beta R, gathered before they are summed.
struct SelfpInput {
  torch::Tensor positive = {};  // [N]: z_i . g+_i / t
  torch::Tensor valid_class =
      {};  // [K], bool: classes whose anchors have a g+; undefined means all
  /// Scores with g+ over all candidates, for R; null leaves R out (it is 1 where g+ = g-).
  const ProjectedScores* pos = nullptr;
  const ProjectedScores* neg = nullptr;          ///< scores with g-
  Leave denominator = Leave::kNothing;           ///< that the denominator of self-p passes over
  Leave r_leave = Leave::kSelf;                  ///< that both sums of R pass over
  double beta = 1;                               ///< weight of R
  EmptyPositives empty = EmptyPositives::kZero;  ///< anchors without a g+
};

/// Self-p, R and their sum.
struct SelfpTerms {
  /// self-p + beta R, with the parts alignment (of g+), uniformity (of g-), valid_anchors and,
  /// where there is an R, R and mi_bound.
  LossValue value;
  torch::Tensor selfp;  // scalar; [N] with Reduction::kNone
  torch::Tensor ratio;  // [N]: R_i; undefined where R was left out
};

/// self-p = sum_i w_i ( -z_i.g+_i/t + log sum_k e^{z_i.g-_k/t} ),
/// R_i    = sum_k e^{z_i.g+_k/t} / sum_k e^{z_i.g-_k/t}, as e to the difference of the logarithms,
/// loss   = self-p + beta mean_i R_i; R_i = 0 where no candidate remains.
SelfpTerms selfp_terms(const ContrastRows& rows, const SelfpInput& input);

/// 1 + log(compared) - self-p - R, detached, with self-p over the anchors that have a partner: the
/// others' 0 would pass for knowledge. 0 where none has one. `compared` candidates stand in each
/// denominator.
torch::Tensor pair_bound(const ContrastRows& rows, const torch::Tensor& per_anchor,
                         const torch::Tensor& valid_class, const torch::Tensor& ratio,
                         int64_t compared);

}  // namespace projnce
