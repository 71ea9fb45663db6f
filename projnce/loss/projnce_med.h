#pragma once

#include "projnce/loss/generalized_infonce.h"
#include "projnce/loss/loss.h"
#include "projnce/projection/median.h"

namespace projnce::loss {

/// Options of ProjnceMedLoss.
struct ProjnceMedOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// Which median: lower, mean of the middle two, or geometric.
  projection::MedianKind median = projection::MedianKind::kLower;
  /// kNone: the denominator includes the anchor; kSelf: it does not.
  Exclude denominator = Exclude::kNone;
  /// If true, class vectors are scaled to unit length.
  bool normalize_g = false;
  /// If true, no gradient flows into the class vectors.
  bool detach_g = false;
};

/// ProjNCE-med (Jeong and Hero): class medians g_c as g+ and g-. n_c counts the rows of class c.
///
///   l_i = -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t},   L = mean_i l_i
///
/// See MedianProjection for the vectors, class_infonce for edge cases and parts. Robust to wrong
/// labels once clusters have formed.
class ProjnceMedLoss : public ContrastiveLoss {
 public:
  explicit ProjnceMedLoss(const ProjnceMedOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;
  LossCritic critic(const torch::Tensor& rows, const torch::Tensor& labels,
                    int64_t num_classes) override;

 private:
  ProjnceMedOptions options_;
};

/// The functional form.
LossValue projnce_med(const ContrastiveBatch& batch, const ProjnceMedOptions& options = {});

}  // namespace projnce::loss
