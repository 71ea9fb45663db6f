#include "projnce/loss/simclr.h"

namespace projnce::loss {

LossValue simclr(const ContrastiveBatch& batch, const SimclrOptions& options) {
  return supcon_grouped(batch, options, GroupBy::kInstance, "simclr");
}

SimclrLoss::SimclrLoss(const SimclrOptions& options) : options_(options) {
  check_options(options, "simclr");
}

LossValue SimclrLoss::evaluate(const ContrastiveBatch& batch) {
  return simclr(batch, options_);
}

}  // namespace projnce::loss
