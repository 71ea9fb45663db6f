#pragma once

#include <torch/types.h>

#include <functional>

namespace projnce::testing {

/// A scalar function of one tensor.
using ScalarFunction = std::function<torch::Tensor(const torch::Tensor&)>;

/// Returns df/dx at `x`; zero if f does not depend on x.
torch::Tensor gradient_of(const ScalarFunction& f, const torch::Tensor& x);

/// Returns the largest difference between autograd's gradient and five-point central differences,
/// relative to the largest entry or 1. Five points avoid tiny steps at small temperatures.
/// REQUIRES: x is float64.
double max_grad_error(const ScalarFunction& f, const torch::Tensor& x, double step = 1e-4);

}  // namespace projnce::testing
