#pragma once

#include "projnce/loss/class_contrast.h"
#include "projnce/loss/contrastive_loss.h"
#include "projnce/projection/median.h"

namespace projnce {

/// Options of ProjnceMedLoss.
struct ProjnceMedOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// Which median: lower, mean of the middle two, or geometric.
  MedianKind median = MedianKind::kLower;
  /// kNothing: the denominator counts the anchor too; kSelf: it does not.
  Leave denominator = Leave::kNothing;
  /// Unit class vectors.
  bool normalize_g = false;
  /// No gradient into the class vectors.
  bool detach_g = false;
};

/// ProjNCE-med (Jeong and Hero): class medians as g+ and g-; the formula is class_contrast's, the
/// vectors are MedianProjection's. Robust against wrong labels once clusters have formed.
class ProjnceMedLoss : public ContrastiveLoss {
 public:
  explicit ProjnceMedLoss(const ProjnceMedOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;

 private:
  ProjnceMedOptions options_;
};

/// The functional form.
LossValue projnce_med(const ContrastiveBatch& batch, const ProjnceMedOptions& options = {});

}  // namespace projnce
