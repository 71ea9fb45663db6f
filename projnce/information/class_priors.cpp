#include "projnce/information/class_priors.h"

#include <cmath>

#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr double kSumTolerance = 1e-6;

void check_label_range(const torch::Tensor& labels, int64_t num_classes) {
  if (!labels.defined() || labels.dim() != 1 || labels.scalar_type() != torch::kInt64) {
    fail("class priors: expected labels [N] of type int64");
  }
  if (num_classes < 1) {
    fail("class priors: num_classes = ", num_classes, ", expected at least 1");
  }
  const auto wrong = labels.masked_select((labels < 0) | (labels >= num_classes));
  if (wrong.numel() > 0) {
    fail("class priors: label ", wrong[0].item<int64_t>(), " is outside 0..", num_classes - 1);
  }
}

torch::Tensor label_counts(const torch::Tensor& labels, int64_t num_classes) {
  return torch::bincount(labels.cpu(), {}, num_classes).to(torch::kFloat64);
}

}  // namespace

ClassPriors smoothed_priors(const torch::Tensor& labels, int64_t num_classes) {
  check_label_range(labels, num_classes);
  const auto counts = label_counts(labels, num_classes) + 0.5;
  return {.num_classes = num_classes, .values = counts / counts.sum(), .estimated = true};
}

torch::Tensor checked_priors(const ClassPriors& priors, const torch::Tensor& labels) {
  check_label_range(labels, priors.num_classes);
  if (!priors.values.defined()) {
    return torch::full({priors.num_classes}, 1.0 / static_cast<double>(priors.num_classes),
                       torch::kFloat64);
  }
  const auto values = priors.values.detach().to(torch::kCPU, torch::kFloat64);
  if (values.dim() != 1 || values.size(0) != priors.num_classes) {
    fail("class priors: expected ", priors.num_classes, " numbers, one for each class, found ",
         values.sizes());
  }
  if (!(torch::isfinite(values) & (values >= 0)).all().item<bool>()) {
    fail("class priors: a prior is negative or not finite");
  }
  const double sum = values.sum().item<double>();
  if (std::abs(sum - 1) > kSumTolerance) {
    fail("class priors: they sum to ", sum, ", expected 1");
  }
  const auto of_rows = values.index_select(0, labels.cpu());
  const auto impossible = labels.cpu().masked_select(of_rows == 0);
  if (impossible.numel() > 0) {
    fail("class priors: the prior of class ", impossible[0].item<int64_t>(),
         " is 0, but the class occurs among the labels");
  }
  return values / sum;
}

torch::Tensor log_frequency_ratio(const torch::Tensor& labels, const torch::Tensor& priors) {
  const auto counts = label_counts(labels, priors.size(0));
  const auto ratio = (counts / counts.sum() / priors).log();
  return torch::where(counts > 0, ratio, torch::zeros_like(ratio));
}

}  // namespace projnce
