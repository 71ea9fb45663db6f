#pragma once

#include <torch/types.h>

#include <functional>
#include <vector>

#include "bench/compare/contestant.h"

namespace projnce::bench {

/// Measures time and memory of a function that returns a number, without gradient.
Run timed(const std::function<double()>& work);

/// Times forward and backward of a scalar. The gradients of `leaves` are reset before each run, as
/// by zero_grad; their total norm is computed outside of the timed region.
Run timed_gradient(const std::vector<torch::Tensor>& leaves,
                   const std::function<torch::Tensor()>& loss);

/// Returns a contestant that runs timed_gradient.
Contestant gradient_contestant(const std::string& name, const std::string& computes,
                               std::vector<torch::Tensor> leaves,
                               std::function<torch::Tensor()> loss);

/// Throws if the heap counters do not see a tensor's memory, which would invalidate all figures.
void check_memory_probe();

}  // namespace projnce::bench
