#pragma once

#include <torch/types.h>

#include "projnce/loss/contrast_rows.h"
#include "projnce/loss/pair_operands.h"

namespace projnce {

/// log sum_j e^{s_ij} over the two kinds of candidates of each anchor, [N]; 0, without gradient,
/// where there are none. The anchor itself is neither.
struct SplitMass {
  torch::Tensor positives;
  torch::Tensor negatives;
};

/// Scores s_ij = z_i . v_j / t of every anchor with a vector for every candidate, usually the
/// candidate itself. The scores themselves are never asked for: sums over them need O(N D) memory.
class PairScores {
 public:
  PairScores(const ContrastRows& rows, const torch::Tensor& vectors, double temperature);

  /// Over all candidates but the anchor itself, [N].
  torch::Tensor others_mass() const;
  /// Over all candidates, the anchor included, [N].
  torch::Tensor all_mass() const;
  SplitMass split_mass() const;

  /// Of each anchor with its own vector, [N].
  torch::Tensor self_score() const;

  /// Mean over the positives (or the negatives) of a curve over log(e^{s_ij} + e^{level_i}), [N];
  /// 0 where there are none.
  torch::Tensor mean_curve(const CurveSum& curve, const torch::Tensor& level) const;

 private:
  PairOperands operands(bool split) const;

  const ContrastRows& rows_;
  torch::Tensor vectors_;
  double temperature_;
};

/// log(e^a + e^b) where `has_a`, else b; all [N].
torch::Tensor log_add(const torch::Tensor& a, const torch::Tensor& has_a, const torch::Tensor& b);

}  // namespace projnce
