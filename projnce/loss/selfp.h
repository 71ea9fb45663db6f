#pragma once

#include "projnce/loss/contrast_rows.h"
#include "projnce/loss/contrastive_loss.h"
#include "projnce/loss/selfp_terms.h"
#include "projnce/projection/projection.h"

namespace projnce {

/// Options of SelfpLoss.
struct SelfpOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// Weight of R; irrelevant to the gradient where g+ = g-.
  double beta = 1;
  /// kNothing: the denominator counts the anchor too; kSelf: it does not.
  Leave denominator = Leave::kSelf;
  /// Candidates that both sums of R_i pass over.
  Leave r_exclude = Leave::kSelf;
  /// Anchors that are alone in their class.
  EmptyPositives empty_pos = EmptyPositives::kZero;
};

/// InfoNCE with any projections g+ and g- (Jeong and Hero), adjusted by R:
///
///   L   = sum_i w_i ( -z_i.g+_i/t + log sum_k e^{z_i.g-_k/t} ) + beta * mean_i R_i
///   R_i = sum_k e^{z_i.g+_k/t} / sum_k e^{z_i.g-_k/t}
///
/// Class vectors are summed once for each class, weighted by its size: O(N K D); only `sample` (and
/// centroids that leave row k out) form N x M values. centroid against sample is ProjNCE; g+ = g-
/// has R = 1. An anchor without a g+ (alone in its class, centroid without itself) has no term but
/// keeps its R_i; nothing to compare with gives 0.
///
/// Parts: alignment, uniformity, R, valid_anchors, mi_bound = 1 + log(rows compared) - self-p - R.
class SelfpLoss : public ContrastiveLoss {
 public:
  /// `pos` and `neg` may be the same object; it then serves as both.
  SelfpLoss(ProjectionPtr pos, ProjectionPtr neg, const SelfpOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;

 private:
  ProjectionPtr pos_;
  ProjectionPtr neg_;
  SelfpOptions options_;
};

/// The functional form, for vectors that are already there. Vectors that do not fit the batch are
/// an Error.
SelfpTerms selfp(const ContrastRows& batch, const Projected& pos, const Projected& neg,
                 const SelfpOptions& options = {});

}  // namespace projnce
