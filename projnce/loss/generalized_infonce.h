#pragma once

#include "projnce/loss/grouped_batch.h"
#include "projnce/loss/loss.h"
#include "projnce/projection/projection.h"

namespace projnce::loss {

/// Options of GeneralizedInfoNCELoss.
struct GeneralizedInfoNCEOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// Weight of R; does not change the gradient if g+ = g-.
  double beta = 1;
  /// kNone: the denominator includes the anchor; kSelf: it does not.
  Exclude denominator = Exclude::kSelf;
  /// Candidates that both sums of R_i exclude.
  Exclude r_exclude = Exclude::kSelf;
  /// How anchors that are alone in their class count.
  EmptyPositives empty_positives = EmptyPositives::kZero;
  /// If true, class vectors are scaled to unit length (cosine critic); `sample` stays as it is.
  bool normalize_g = false;
};

/// InfoNCE with any projections g+ and g- (Jeong and Hero; the paper's self-p), plus R:
///
///   L   = sum_i w_i ( -z_i.g+_i/t + log sum_k e^{z_i.g-_k/t} ) + beta * mean_i R_i
///   R_i = sum_k e^{z_i.g+_k/t} / sum_k e^{z_i.g-_k/t}
///
/// Class vectors are summed once for each class, weighted by its size: O(N K D). Only `sample` (and
/// centroids that exclude row k) need all N x M pairs. Centroid against sample is ProjNCE; g+ =
/// g- gives R = 1. An anchor without a g+ (alone in its class, centroid without itself) has no term
/// but keeps its R_i; without candidates the loss is 0.
///
/// Parts: alignment, uniformity, R, valid_anchors.
class GeneralizedInfoNCELoss : public ContrastiveLoss {
 public:
  /// `pos` and `neg` may be the same object.
  GeneralizedInfoNCELoss(projection::ProjectionPtr pos, projection::ProjectionPtr neg,
                         const GeneralizedInfoNCEOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;
  LossCritic critic(const torch::Tensor& rows, const torch::Tensor& labels,
                    int64_t num_classes) override;

 private:
  projection::ProjectionPtr pos_;
  projection::ProjectionPtr neg_;
  GeneralizedInfoNCEOptions options_;
};

/// Self-p, R, and the loss, self-p + beta R.
struct InfoNCETerms {
  /// self-p + beta R, with the parts alignment (of g+), uniformity (of g-), valid_anchors and, if
  /// there is one, R.
  LossValue value;
  torch::Tensor self_p;  // scalar; [N] with Reduction::kNone
  torch::Tensor ratio;   // [N]: R_i; undefined if R was not computed
};

/// The functional form, for given vectors. Throws an Error if they do not match the batch.
InfoNCETerms generalized_infonce(const GroupedBatch& batch, const projection::Projected& pos,
                                 const projection::Projected& neg,
                                 const GeneralizedInfoNCEOptions& options = {});

// ProjNCE shares the functions below.

/// self-p = sum_i w_i (logsumexp_i - positive_i).
struct SelfPTerm {
  torch::Tensor positive;                                  // [N]: score of each anchor with its g+
  torch::Tensor logsumexp;                                 // [N]: its denominator
  torch::Tensor valid_class;                               // [K], bool: see valid_classes()
  EmptyPositives empty_positives = EmptyPositives::kZero;  ///< how anchors without positives count
};
/// The loss self-p and its parts, without R.
InfoNCETerms self_p(const GroupedBatch& batch, const SelfPTerm& term);

/// Classes whose anchors have a term, [K]: those marked in `has_positive` (undefined: all), or none
/// if the batch has nothing to compare with.
torch::Tensor valid_classes(const GroupedBatch& batch, const torch::Tensor& has_positive,
                            Exclude denominator);

/// True if the gradient (beta != 0) or the parts need R.
bool needs_ratio(const GroupedBatch& batch, double beta);

/// Adds beta * R to the terms, R_i = e^{log_above - log_below} or 0 if no candidate is left, and
/// the part R.
void add_ratio(const GroupedBatch& batch, const torch::Tensor& log_above,
               const torch::Tensor& log_below, Exclude r_exclude, double beta, InfoNCETerms& terms);

/// The same vector g_c of each class as g+ and g- (perp, med, mlp). R = 1 is omitted:
///
///   l_i = -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t},   L = mean_i l_i
///
/// of the two terms, both [N]. n_c counts the candidates of class c, without the anchor for kSelf.
/// l_i >= log n_{y_i}. One class in the batch gives log M with zero gradient. With kSelf, an anchor
/// without candidates gives 0.
///
/// Parts: alignment, uniformity, valid_anchors.
LossValue class_infonce(const GroupedBatch& batch, const torch::Tensor& positive,
                        const torch::Tensor& logsumexp, Exclude denominator);

}  // namespace projnce::loss
