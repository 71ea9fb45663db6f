#pragma once

#include "projnce/loss/generalized_infonce.h"
#include "projnce/loss/loss.h"
#include "projnce/projection/perp.h"

namespace projnce::loss {

/// Options of ProjncePerpLoss.
struct ProjncePerpOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// Source of the soft labels, kernel, metric and bandwidth.
  projection::PerpOptions perp = {};
  /// kNone: the denominator includes the anchor; kSelf: it does not.
  Exclude denominator = Exclude::kNone;
  /// If true, class vectors are scaled to unit length.
  bool normalize_g = false;
  /// If true, no gradient flows into the class vectors.
  bool detach_g = false;
};

/// ProjNCE-perp (Jeong and Hero): estimates g_c of E[Z | C = c] from soft labels as g+ and g-. n_c
/// counts the rows of class c.
///
///   l_i = -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t},   L = mean_i l_i
///
/// See PerpProjection for the vectors, class_infonce for edge cases and parts.
///
/// With unit rows in 128 dimensions, metric l1 and bandwidths up to 0.9, as in the paper, the
/// estimate returns the hard labels, and this is the class-centroid loss for every bandwidth.
/// Settings that smooth: cosine with 0.2 to 0.4, l2 with 0.9 to 1.2, l1 scaled to `unit` with 0.4
/// to 0.5.
class ProjncePerpLoss : public ContrastiveLoss {
 public:
  explicit ProjncePerpLoss(const ProjncePerpOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;
  LossCritic critic(const torch::Tensor& rows, const torch::Tensor& labels,
                    int64_t num_classes) override;

 private:
  ProjncePerpOptions options_;
};

/// The functional form.
LossValue projnce_perp(const ContrastiveBatch& batch, const ProjncePerpOptions& options = {});

}  // namespace projnce::loss
