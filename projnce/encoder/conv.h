#pragma once

#include <torch/nn/modules/conv.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>

namespace projnce {

/// LibTorch's convolution, which also takes a batch without pictures: its own fails there when the
/// weights are kept channels-last.
class ConvImpl : public torch::nn::Conv2dImpl {
 public:
  using torch::nn::Conv2dImpl::Conv2dImpl;
  torch::Tensor forward(const torch::Tensor& input);
};
TORCH_MODULE(Conv);

/// A convolution without bias that keeps the size (up to the stride): batch-norm follows it.
Conv make_conv(int64_t in_channels, int64_t out_channels, int64_t kernel, int64_t stride);

}  // namespace projnce
