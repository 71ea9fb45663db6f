#pragma once

#include "projnce/loss/grouped_batch.h"
#include "projnce/loss/loss.h"

namespace projnce::loss {

/// The InfoNCE F(P, Q) that is used in both directions, with s the scores of the anchor.
enum class SymnceForm {
  kLout,      ///< -mean_P s + log sum_{P u Q} e^s
  kLin,       ///< -log mean_P e^s + log sum_{P u Q} e^s
  kPairwise,  ///< mean_{p in P} ( -s_p + log( e^{s_p} + sum_Q e^s ) )
};

/// Options of SymnceLoss.
struct SymnceOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// Weight of the reversed term. Keep it below 1: at 1 with kLout the log sums cancel, and nothing
  /// separates the classes.
  double beta = 0.6;
  /// The InfoNCE that is reversed.
  SymnceForm form = SymnceForm::kLout;
  /// How anchors that are alone in their class count.
  EmptyPositives empty_positives = EmptyPositives::kZero;
};

/// SymNCE (after Cui et al., 2025): InfoNCE minus a reversed InfoNCE, so that symmetric label noise
/// adds a constant. P(i) the other candidates of the anchor's class, Q(i) those of other classes:
///
///   l_i = F(P, Q) - beta F(Q, P)
///
/// An anchor needs both: one class in the batch gives 0. beta = 0 with kLout is SupCon (on batches
/// with more than one class). The article's equation was not available; the three forms follow its
/// description and all meet its noise condition for large batches.
///
/// Parts: alignment, uniformity (both of F(P, Q)), reverse = F(Q, P), valid_anchors.
class SymnceLoss : public ContrastiveLoss {
 public:
  explicit SymnceLoss(const SymnceOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;

 private:
  SymnceOptions options_;
};

/// The functional form.
LossValue symnce(const ContrastiveBatch& batch, const SymnceOptions& options = {});

}  // namespace projnce::loss
