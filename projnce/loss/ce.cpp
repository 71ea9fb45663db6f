#include "projnce/loss/ce.h"

namespace projnce::loss {

torch::Tensor cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                            Reduction reduction) {
  check_logits(logits, labels, "ce");
  // -x_{i,y_i} + log sum_c e^{x_ic}
  return reduce(torch::cross_entropy_loss(logits, labels, /*weight=*/{}, at::Reduction::None),
                reduction);
}

CeLoss::CeLoss(const CeOptions& options)
    : ClassifierLoss("ce", options.num_classes, options.feature_dim) {}

torch::Tensor CeLoss::loss_of(const torch::Tensor& logits, const torch::Tensor& labels,
                              Reduction reduction) {
  return cross_entropy(logits, labels, reduction);
}

}  // namespace projnce::loss
