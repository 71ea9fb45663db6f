#include "projnce/encoder/conv.h"

#include <torch/nn/modules/conv.h>

namespace projnce {

torch::Tensor ConvImpl::forward(const torch::Tensor& input) {
  if (input.size(0) > 0) return Conv2dImpl::forward(input);
  const auto stride = options.stride()->at(0);
  const auto side = [&](int64_t size) { return (size + stride - 1) / stride; };
  return input.reshape({0, weight.size(0), side(input.size(2)), side(input.size(3))});
}

Conv make_conv(int64_t in_channels, int64_t out_channels, int64_t kernel, int64_t stride) {
  return Conv(torch::nn::Conv2dOptions(in_channels, out_channels, kernel)
                  .stride(stride)
                  .padding(kernel / 2)
                  .bias(false));
}

}  // namespace projnce
