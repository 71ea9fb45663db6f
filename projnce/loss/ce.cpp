#include "projnce/loss/ce.h"

#include "projnce/core/device.h"

namespace projnce::loss {

namespace {

// -x_{i,y_i} + log sum_c e^{x_ic}
torch::Tensor cross_entropy_of(const torch::Tensor& logits, const torch::Tensor& labels,
                               Reduction reduction) {
  return reduce(torch::cross_entropy_loss(logits, labels, /*weight=*/{}, at::Reduction::None),
                reduction);
}

}  // namespace

torch::Tensor cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                            Reduction reduction) {
  check_logits(logits, labels, "ce");
  return cross_entropy_of(logits, upload(labels, logits.device()), reduction);
}

CeLoss::CeLoss(const CeOptions& options)
    : ClassifierLoss("ce", options.num_classes, options.feature_dim) {}

torch::Tensor CeLoss::loss_of(const torch::Tensor& logits, const torch::Tensor& labels,
                              Reduction reduction) {
  return cross_entropy_of(logits, labels, reduction);
}

}  // namespace projnce::loss
