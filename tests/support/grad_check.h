#pragma once

#include <torch/types.h>

#include <functional>

namespace projnce::testing {

/// A scalar function of one tensor.
using ScalarFunction = std::function<torch::Tensor(const torch::Tensor&)>;

/// d f / d x at `x`, zero where f does not depend on x.
torch::Tensor gradient_of(const ScalarFunction& f, const torch::Tensor& x);

/// Largest difference between autograd's gradient and central differences (five points, so that a
/// small temperature does not need a tiny step), relative to the largest entry or 1.
/// REQUIRES: x is float64.
double max_grad_error(const ScalarFunction& f, const torch::Tensor& x, double step = 1e-4);

}  // namespace projnce::testing
