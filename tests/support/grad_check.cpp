#include "tests/support/grad_check.h"

#include <algorithm>

namespace projnce::testing {

torch::Tensor gradient_of(const ScalarFunction& f, const torch::Tensor& x) {
  const auto leaf = x.detach().clone().requires_grad_();
  const auto value = f(leaf);
  if (value.requires_grad()) value.backward();
  return leaf.grad().defined() ? leaf.grad() : torch::zeros_like(x);
}

double max_grad_error(const ScalarFunction& f, const torch::Tensor& x, double step) {
  TORCH_CHECK(x.scalar_type() == torch::kFloat64, "central differences need double precision");
  const auto analytic = gradient_of(f, x);
  auto numeric = torch::zeros_like(x);
  const auto flat = x.detach().clone().view(-1);
  const torch::NoGradGuard no_gradient;
  for (int64_t i = 0; i < flat.numel(); ++i) {
    const auto at = [&](double offset) {
      auto moved = flat.clone();
      moved[i] += offset;
      return f(moved.view(x.sizes())).item<double>();
    };
    numeric.view(-1)[i] =
        (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
  }
  const auto scale = std::max(1.0, analytic.abs().max().item<double>());
  return (analytic - numeric).abs().max().item<double>() / scale;
}

}  // namespace projnce::testing
