#pragma once

#include "projnce/loss/class_contrast.h"
#include "projnce/loss/contrastive_loss.h"
#include "projnce/projection/perp.h"

namespace projnce {

/// Options of ProjncePerpLoss.
struct ProjncePerpOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// Where the soft labels come from, the kernel, the metric, the bandwidth.
  PerpOptions perp = {};
  /// kNothing: the denominator counts the anchor too; kSelf: it does not.
  Leave denominator = Leave::kNothing;
  /// Unit class vectors.
  bool normalize_g = false;
  /// No gradient into the class vectors.
  bool detach_g = false;
};

/// ProjNCE-perp (Jeong and Hero): class vectors estimated as E[Z | C] from soft labels, as g+ and
/// g-; the formula is class_contrast's, the vectors are PerpProjection's.
///
/// With unit rows in 128 dimensions, metric l1 and bandwidths up to 0.9, as in the paper, the
/// estimate returns the hard labels, and this is the class-centroid loss whatever the bandwidth.
/// Settings that smooth: cosine with 0.2 to 0.4, l2 with 0.9 to 1.2, l1 scaled to `unit` with 0.4
/// to 0.5.
class ProjncePerpLoss : public ContrastiveLoss {
 public:
  explicit ProjncePerpLoss(const ProjncePerpOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;

 private:
  ProjncePerpOptions options_;
};

/// The functional form.
LossValue projnce_perp(const ContrastiveBatch& batch, const ProjncePerpOptions& options = {});

}  // namespace projnce
