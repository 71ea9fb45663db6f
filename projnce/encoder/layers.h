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

/// Returns a convolution with "same" padding (up to the stride) and without bias, since batch-norm
/// follows it.
torch::nn::Conv2d make_conv(int64_t in_channels, int64_t out_channels, int64_t kernel,
                            int64_t stride);

/// Gathers the tensors of all processes, stacked: [W, ...].
using GatherOverProcesses = std::function<torch::Tensor(const torch::Tensor& mine)>;

/// Batch normalization of [N, C] or [N, C, H, W], with the same parameter and buffer names as
/// torch::nn::BatchNorm2d. In training it can compute mean and variance over all processes
/// (SyncBatchNorm), so that they compute the same as one process on the whole batch. A process may
/// have no rows.
class BatchNormImpl
    : public torch::nn::NormImplBase<2, BatchNormImpl, torch::nn::BatchNormOptions> {
 public:
  /// Initializes the weight with 1 and the bias with 0.
  explicit BatchNormImpl(int64_t channels);
  /// Normalizes the input; with the running statistics in evaluation mode.
  torch::Tensor forward(const torch::Tensor& input);

  /// Synchronizes the statistics with `gather`; if empty, uses local statistics. Every process must
  /// call forward and backward the same number of times.
  void sync_statistics(GatherOverProcesses gather) { gather_ = std::move(gather); }
  const GatherOverProcesses& gather() const { return gather_; }

 protected:
  /// Throws unless the input is [N, C] or [N, C, H, W].
  void _check_input_dim(const torch::Tensor& input) override;

 private:
  torch::Tensor normalize_synced(const torch::Tensor& input);

  GatherOverProcesses gather_;
};
TORCH_MODULE(BatchNorm);

/// Synchronizes the statistics of all BatchNorm submodules of `module` over processes.
void sync_batch_statistics(torch::nn::Module& module, const GatherOverProcesses& gather);

/// Statistics of the whole batch.
struct BatchStatistics {
  torch::Tensor count;     ///< scalar: number of values per channel
  torch::Tensor mean;      ///< [C]
  torch::Tensor variance;  ///< [C], biased
};

/// Combines the moments of all processes, [W, 3, C] (count, mean and sum of squared deviations from
/// the mean), without catastrophic cancellation (Chan et al.).
BatchStatistics combine_moments(const torch::Tensor& all);

}  // namespace projnce::encoder
