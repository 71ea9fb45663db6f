#pragma once

#include <torch/types.h>

#include <functional>
#include <vector>

#include "bench/compare/contestant.h"

namespace projnce::bench {

/// Times and watches a function that gives a number: no gradient.
Run timed(const std::function<double()>& work);

/// Times forward and backward of a scalar. The gradients of `leaves` are new each time, as after
/// zero_grad; their norm, over all of them, is computed off the clock.
Run timed_gradient(const std::vector<torch::Tensor>& leaves,
                   const std::function<torch::Tensor()>& loss);

/// A contestant that runs timed_gradient.
Contestant gradient_contestant(const std::string& name, const std::string& computes,
                               std::vector<torch::Tensor> leaves,
                               std::function<torch::Tensor()> loss);

/// Throws where the heap's counters do not see a tensor's memory: then all figures would be wrong.
void check_memory_probe();

}  // namespace projnce::bench
