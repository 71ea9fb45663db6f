#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <utility>

namespace projnce {

/// Adds up a tensor over all processes that train together; every one gets the sum.
using SumOverProcesses = std::function<torch::Tensor(torch::Tensor)>;

/// Batch normalisation of [N, C] or [N, C, H, W], with LibTorch's parameters and buffers under
/// their usual names. In training it may take mean and variance over the rows of all processes
/// instead of its own: K processes then compute what one would on the whole batch. A process may
/// come without any row.
class BatchNormImpl
    : public torch::nn::NormImplBase<2, BatchNormImpl, torch::nn::BatchNormOptions> {
 public:
  explicit BatchNormImpl(int64_t channels);
  torch::Tensor forward(const torch::Tensor& input);

  /// Empty: own statistics. Every process must call forward and backward equally often.
  void share_statistics(SumOverProcesses sum) { sum_ = std::move(sum); }

 protected:
  void _check_input_dim(const torch::Tensor& input) override;

 private:
  torch::Tensor normalize_shared(const torch::Tensor& input);

  SumOverProcesses sum_;
};
TORCH_MODULE(BatchNorm);

/// Makes all batch-norms below `module` share their statistics.
void share_batch_statistics(torch::nn::Module& module, const SumOverProcesses& sum);

}  // namespace projnce
