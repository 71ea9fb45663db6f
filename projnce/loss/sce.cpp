#include "projnce/loss/sce.h"

#include <cmath>

#include "projnce/core/device.h"
#include "projnce/core/error.h"

namespace projnce::loss {

namespace {

void check_options(const SceOptions& options) {
  const bool finite = std::isfinite(options.alpha) && std::isfinite(options.beta);
  if (!finite || options.alpha < 0 || options.beta < 0) {
    fail("sce: alpha = ", options.alpha, " and beta = ", options.beta, " must be at least 0");
  }
  if (!std::isfinite(options.A) || options.A >= 0) {
    fail("sce: A = ", options.A, " replaces log 0 and must be below 0");
  }
}

torch::Tensor symmetric_of(const torch::Tensor& logits, const torch::Tensor& labels,
                           const SceOptions& options, Reduction reduction) {
  const auto log_p = logits.log_softmax(/*dim=*/1).gather(1, labels.unsqueeze(1)).squeeze(1);
  // -alpha log p + beta (-A) (1 - p); 1 - p = -expm1(log p) stays exact for p near 1.
  return reduce(options.beta * options.A * log_p.expm1() - options.alpha * log_p, reduction);
}

}  // namespace

torch::Tensor symmetric_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                                      const SceOptions& options, Reduction reduction) {
  check_options(options);
  check_logits(logits, labels, "sce");
  return symmetric_of(logits, upload(labels, logits.device()), options, reduction);
}

SceLoss::SceLoss(const SceOptions& options, int64_t num_classes, int64_t feature_dim)
    : ClassifierLoss("sce", num_classes, feature_dim), options_(options) {
  check_options(options);
}

torch::Tensor SceLoss::loss_of(const torch::Tensor& logits, const torch::Tensor& labels,
                               Reduction reduction) {
  return symmetric_of(logits, labels, options_, reduction);
}

}  // namespace projnce::loss
