#include "projnce/encoder/conv.h"

namespace projnce {

torch::nn::Conv2d make_conv(int64_t in_channels, int64_t out_channels, int64_t kernel,
                            int64_t stride) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in_channels, out_channels, kernel)
                               .stride(stride)
                               .padding(kernel / 2)
                               .bias(false));
}

}  // namespace projnce
