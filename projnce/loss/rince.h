#pragma once

#include <string>

#include "projnce/loss/grouped_batch.h"
#include "projnce/loss/loss.h"

namespace projnce::loss {

/// Candidates in the denominator of a positive.
enum class RinceDenominator {
  kAll,     ///< all other candidates, the same sum for every positive, as in SupCon
  kOnePos,  ///< that positive and the negatives
};

/// Options of RinceLoss.
struct RinceOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// 0 < q <= 1: toward 0 InfoNCE, 1 fully symmetric and most robust. The gradient scales with
  /// e^{q/temperature}: clip it, or raise the temperature, with a large q.
  double q = 0.1;
  /// 0 < lambda <= 1: weight of the denominator.
  double lambda_ = 0.01;
  /// Candidates in the denominator of a positive.
  RinceDenominator denominator = RinceDenominator::kAll;
  /// How anchors without positives count.
  EmptyPositives empty_positives = EmptyPositives::kZero;
};

/// Robust InfoNCE (Chuang et al., 2022):
///
///   l_i = mean_{p in P(i)} ( -e^{q s_ip} + (lambda S_ip)^q ) / q
///
/// S_ip is the sum of exponentials of the denominator. Evaluated with expm1, so that nothing
/// cancels as q -> 0, where it becomes InfoNCE + log lambda. `rince` takes labels, `rince-self`
/// views of one sample, for which both denominators agree when there are two. Anchors without
/// positives as in SupCon. One class with kOnePos: S_ip = e^{s_ip}.
///
/// Parts: alignment, uniformity, valid_anchors.
class RinceLoss : public ContrastiveLoss {
 public:
  RinceLoss(const RinceOptions& options, GroupBy group_by);
  LossValue evaluate(const ContrastiveBatch& batch) override;

 private:
  RinceOptions options_;
  GroupBy group_by_;
};

/// The functional form.
LossValue rince(const ContrastiveBatch& batch, const RinceOptions& options = {},
                GroupBy group_by = GroupBy::kClass);

}  // namespace projnce::loss
