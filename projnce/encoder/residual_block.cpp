#include "projnce/encoder/residual_block.h"

#include <torch/nn/modules/container/sequential.h>

#include <memory>

#include "projnce/encoder/native/trunk_plan.h"

namespace projnce {

ResidualBlockImpl::ResidualBlockImpl(int64_t in_channels, int64_t out_channels, int64_t stride)
    : conv1_(register_module("conv1", make_conv(in_channels, out_channels, 3, stride))),
      bn1_(register_module("bn1", BatchNorm(out_channels))),
      conv2_(register_module("conv2", make_conv(out_channels, out_channels, 3, 1))),
      bn2_(register_module("bn2", BatchNorm(out_channels))) {
  if (stride != 1 || in_channels != out_channels) {
    downsample_ = register_module(
        "downsample", torch::nn::Sequential(make_conv(in_channels, out_channels, 1, stride),
                                            BatchNorm(out_channels)));
  }
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& input) {
  auto output = bn1_(conv1_(input)).relu_();
  output = bn2_(conv2_(output));
  output += downsample_.is_empty() ? input : downsample_->forward(input);
  return output.relu_();
}

ResidualPlan ResidualBlockImpl::plan() const {
  ResidualPlan plan{.conv1 = conv1_, .norm1 = bn1_, .conv2 = conv2_, .norm2 = bn2_};
  if (!downsample_.is_empty()) {
    plan.shortcut = std::dynamic_pointer_cast<torch::nn::Conv2dImpl>(downsample_->ptr(0));
    plan.shortcut_norm = std::dynamic_pointer_cast<BatchNormImpl>(downsample_->ptr(1));
  }
  return plan;
}

}  // namespace projnce
