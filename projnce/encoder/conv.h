#pragma once

#include <torch/nn/modules/conv.h>

#include <cstdint>

namespace projnce {

/// A convolution without bias that keeps the size (up to the stride): batch-norm follows it.
torch::nn::Conv2d make_conv(int64_t in_channels, int64_t out_channels, int64_t kernel,
                            int64_t stride);

}  // namespace projnce
