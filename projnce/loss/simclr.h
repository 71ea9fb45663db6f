#pragma once

#include "projnce/loss/supcon.h"

namespace projnce::loss {

/// The options of SupCon.
using SimclrOptions = SupConOptions;

/// SimCLR's NT-Xent (Chen et al., 2020): SupCon with "view of the same sample" for "same class".
///
///   l_i = -mean_{p: other views of i} s_ip + log sum_{j != i} e^{s_ij}
///
/// For more than two views the positives are averaged outside the logarithm over the common
/// denominator. Needs `anchor_instances` and `candidate_instances`; labels are not used.
///
/// Parts: alignment, uniformity, valid_anchors.
class SimclrLoss : public ContrastiveLoss {
 public:
  explicit SimclrLoss(const SimclrOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;

 private:
  SimclrOptions options_;
};

/// The functional form.
LossValue simclr(const ContrastiveBatch& batch, const SimclrOptions& options = {});

}  // namespace projnce::loss
