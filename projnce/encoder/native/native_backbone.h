#pragma once

#include <torch/types.h>

#include <memory>
#include <vector>

#include "projnce/encoder/native/native_block.h"

namespace projnce::encoder {

/// A network of native parts and what one pass through it leaves for its backward.
template <class T>
class NativeBackbone {
 public:
  explicit NativeBackbone(const BackboneSpec& plan);

  /// [N, C, H, W] -> [N, F], as in training; the images are kept for backward.
  torch::Tensor forward(const torch::Tensor& images, NativeMemory<T>& memory);
  /// As after training.
  torch::Tensor evaluate(const torch::Tensor& images, NativeMemory<T>& memory);
  /// d loss / d features of the last forward -> gradients of all parameters, layer by layer: of the
  /// convolution's weight, of batch-norm's weight and bias.
  std::vector<torch::Tensor> backward(const torch::Tensor& gradient, NativeMemory<T>& memory);

 private:
  NativeActivations<T> begin(const torch::Tensor& images, NativeMemory<T>& memory);
  torch::Tensor average(const NativeActivations<T>& maps, NativeMemory<T>& memory) const;

  int64_t grid_;
  std::vector<std::unique_ptr<NativeBlock<T>>> parts_;
  torch::Tensor images_;
  std::vector<NativeActivations<T>> maps_;  // before each part, and behind the last
};

}  // namespace projnce::encoder
