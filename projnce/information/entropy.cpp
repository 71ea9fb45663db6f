#include "projnce/information/entropy.h"

#include "projnce/core/error.h"

namespace projnce {

namespace {

/// Rows of each class that occurs.
torch::Tensor class_sizes(const torch::Tensor& labels, const char* what) {
  if (!labels.defined() || labels.dim() != 1 || labels.size(0) == 0 ||
      !at::isIntegralType(labels.scalar_type(), /*includeBool=*/false)) {
    fail(what, ": expected a list of at least one whole number");
  }
  return std::get<2>(torch::_unique2(labels, true, false, true));
}

}  // namespace

int64_t smallest_class_size(const torch::Tensor& labels) {
  return class_sizes(labels, "smallest class").min().item<int64_t>();
}

double label_entropy(const torch::Tensor& labels) {
  const auto counts = class_sizes(labels, "label entropy").to(torch::kFloat64);
  const auto share = counts / counts.sum();
  // One class has the entropy 0, not -0.
  return 0.0 - (share * share.log()).sum().item<double>();
}

}  // namespace projnce
