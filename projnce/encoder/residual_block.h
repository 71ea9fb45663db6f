#pragma once

#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "projnce/encoder/batch_norm.h"
#include "projnce/encoder/conv.h"

namespace projnce {

struct ResidualPlan;

/// Two 3x3 convolutions around a shortcut (He et al. 2016), submodules named as torchvision names
/// them. The shortcut is a strided 1x1 convolution where shapes change.
class ResidualBlockImpl : public torch::nn::Module {
 public:
  ResidualBlockImpl(int64_t in_channels, int64_t out_channels, int64_t stride);
  torch::Tensor forward(const torch::Tensor& input);
  /// Its modules, for the native engine.
  ResidualPlan plan() const;

 private:
  torch::nn::Conv2d conv1_;
  BatchNorm bn1_;
  torch::nn::Conv2d conv2_;
  BatchNorm bn2_;
  torch::nn::Sequential downsample_{nullptr};
};
TORCH_MODULE(ResidualBlock);

}  // namespace projnce
