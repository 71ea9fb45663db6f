#pragma once

#include "projnce/loss/contrast_rows.h"
#include "projnce/loss/contrastive_loss.h"
#include "projnce/projection/projection.h"

namespace projnce {

/// What the losses with one vector for each class have in common.
struct ClassContrastOptions {
  double temperature = 0.07;  ///< divides similarities; above 0
  /// kNothing: the denominator counts every row, the anchor too; kSelf: all but the anchor.
  Leave denominator = Leave::kNothing;
  bool normalize_g = false;  ///< unit class vectors
  bool detach_g = false;     ///< no gradient into the class vectors
};

/// The common core of projnce-perp, -med and -mlp, where one vector g_c for each class serves as g+
/// and as g- (so R = 1 and drops out). The denominator repeats g_c n_c times:
///
///   l_i = -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t},   L = mean_i l_i
///
/// n_c counts the candidates of class c, less the anchor itself with kSelf. O(N K D).
/// l_i >= log n_{y_i}, so log M - L is at most the entropy of the batch's labels. One class in the
/// batch gives log M with zero gradient. With kSelf, an anchor with nothing to compare with gives
/// 0.
///
/// Vectors that do not fit the batch are an Error.
///
/// Parts: alignment, uniformity, valid_anchors, mi_bound = log M - L in nats (in-sample: optimistic
/// where g is made from the same rows).
LossValue class_contrast(const ContrastRows& batch, Projected projected,
                         const ClassContrastOptions& options);

}  // namespace projnce
