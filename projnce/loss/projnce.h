#pragma once

#include "projnce/loss/generalized_infonce.h"
#include "projnce/loss/grouped_batch.h"
#include "projnce/loss/loss.h"
#include "projnce/projection/centroid.h"

namespace projnce::loss {

/// Options of ProjnceLoss.
struct ProjnceOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// Weight of R; 0 is SupCon. Above 1 it spreads classes until R settles at 1/beta.
  double beta = 1;
  /// If true, the anchor is one of its own positives.
  bool include_self_pos = false;
  /// If true, the denominator of self-p includes the anchor's similarity with itself.
  bool include_self_denom = false;
  /// Candidates that both sums of R_i exclude: none, the anchor (unbiased), or its whole class.
  Exclude r_exclude = Exclude::kSelf;
  /// Rows from which the centroids in R_i are computed. Without the anchor, R_i is at most 1.
  projection::CentroidRows r_centroid = projection::CentroidRows::kNotAnchor;
  /// How anchors that are alone in their class count.
  EmptyPositives empty_positives = EmptyPositives::kZero;
  /// If true, no gradient flows through centroids, neither in self-p nor in R.
  bool detach_centroid = false;
  /// If true, centroids are scaled to unit length in self-p and in R (cosine critic).
  bool normalize_g = false;
};

/// Interpretations of the paper: `leave_one_out` excludes the anchor everywhere (the defaults
/// above), `paper` follows the formulas literally, `allpairs` includes the anchor everywhere.
enum class ProjncePreset { kLeaveOneOut, kPaper, kAllPairs };
/// The options of a preset.
ProjnceOptions projnce_preset(ProjncePreset preset);

/// ProjNCE (Jeong and Hero): SupCon plus an adjustment term R. Certified lower bounds on I(Z;C)
/// that correspond to it are in information/mi_bounds.h; the loss of a batch is not one.
///
///   L   = SupCon_out + beta * mean_i R_i
///   R_i = sum_{k in K(i)} e^{z_i.m_{y_k}/t} / sum_{k in K(i)} e^{z_i.z_k/t}
///
/// K(i) is `r_exclude`, m_c the class centroid of `r_centroid`. The numerator has one term for each
/// class, n_c e^{z_i.m_c/t}, so R costs O(N K D) in addition to SupCon's O(N M D); only r_centroid
/// = kNotRow needs another N x M product. R_i <= 1 by Jensen's inequality for (kNone, kAll),
/// (kSelf, kNotAnchor) and (kSameClass, kAll).
///
/// An anchor that is alone in its class has no self-p term but keeps its R_i. K(i) empty: R_i = 0.
/// beta = 0 with the defaults is SupCon.
///
/// With `normalize_g` the positive score is z_i.u/t with the unit vector u of the positives'
/// centroid, and R is computed from unit centroids; rows stay as they are. R_i may then exceed 1,
/// so that self-p without R may exceed I(Z;C) at any N. A zero centroid stays zero.
///
/// Parts: alignment, uniformity, valid_anchors, R.
class ProjnceLoss : public ContrastiveLoss {
 public:
  explicit ProjnceLoss(const ProjnceOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;
  LossCritic critic(const torch::Tensor& rows, const torch::Tensor& labels,
                    int64_t num_classes) override;

 private:
  ProjnceOptions options_;
};

/// The functional form.
LossValue projnce(const ContrastiveBatch& batch, const ProjnceOptions& options = {});

/// Same; also returns R_i of each anchor.
InfoNCETerms projnce_terms(const ContrastiveBatch& batch, const ProjnceOptions& options = {});

}  // namespace projnce::loss
