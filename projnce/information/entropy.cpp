#include "projnce/information/entropy.h"

#include "projnce/core/error.h"

namespace projnce {

double label_entropy(const torch::Tensor& labels) {
  if (!labels.defined() || labels.dim() != 1 || labels.size(0) == 0 ||
      !at::isIntegralType(labels.scalar_type(), /*includeBool=*/false)) {
    fail("label entropy: expected a list of at least one whole number");
  }
  const auto counts = std::get<2>(torch::_unique2(labels, true, false, true)).to(torch::kFloat64);
  const auto share = counts / counts.sum();
  // One class has the entropy 0, not -0.
  return 0.0 - (share * share.log()).sum().item<double>();
}

}  // namespace projnce
