#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <utility>

namespace projnce::encoder {

/// A convolution without bias that keeps the size (up to the stride): batch-norm follows it.
torch::nn::Conv2d make_conv(int64_t in_channels, int64_t out_channels, int64_t kernel,
                            int64_t stride);

/// The tensors that all processes which train together call it with, stacked: [W, ...].
using GatherOverProcesses = std::function<torch::Tensor(const torch::Tensor& mine)>;

/// Batch normalization of [N, C] or [N, C, H, W], with LibTorch's parameters and buffers under
/// their usual names. In training it may take mean and variance over the rows of all processes
/// instead of its own: K processes then compute what one would on the whole batch. A process may
/// come without any row.
class BatchNormImpl
    : public torch::nn::NormImplBase<2, BatchNormImpl, torch::nn::BatchNormOptions> {
 public:
  /// Weights 1, biases 0.
  explicit BatchNormImpl(int64_t channels);
  /// The same shape, normalized; in evaluation mode by the running statistics.
  torch::Tensor forward(const torch::Tensor& input);

  /// Empty: own statistics. Every process must call forward and backward equally often.
  void share_statistics(GatherOverProcesses gather) { gather_ = std::move(gather); }
  /// What was given to share_statistics.
  const GatherOverProcesses& gather() const { return gather_; }

 protected:
  /// For LibTorch: throws unless the input is [N, C] or [N, C, H, W].
  void _check_input_dim(const torch::Tensor& input) override;

 private:
  torch::Tensor normalize_shared(const torch::Tensor& input);

  GatherOverProcesses gather_;
};
TORCH_MODULE(BatchNorm);

/// Makes all batch-norms below `module` share their statistics.
void share_batch_statistics(torch::nn::Module& module, const GatherOverProcesses& gather);

/// What every process knows of the whole batch; means and variances are [C].
struct SharedStatistics {
  torch::Tensor count;     ///< scalar: values of each channel
  torch::Tensor mean;      ///< of all of them
  torch::Tensor variance;  ///< biased
};

/// Joins the processes' moments, [W, 3, C] (how many values, their mean, the sum of their squared
/// deviations from it), without subtracting large numbers from each other (Chan et al.).
SharedStatistics join_moments(const torch::Tensor& all);

}  // namespace projnce::encoder
