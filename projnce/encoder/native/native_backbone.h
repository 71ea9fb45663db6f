#pragma once

#include <torch/types.h>

#include <memory>
#include <vector>

#include "projnce/encoder/native/native_block.h"

namespace projnce::encoder {

/// A network of native blocks, with the state that a forward pass saves for backward.
template <class T>
class NativeBackbone {
 public:
  explicit NativeBackbone(const BackboneSpec& plan);

  /// [N, C, H, W] -> [N, F] in training mode; saves the images for backward.
  torch::Tensor forward(const torch::Tensor& images, NativeMemory<T>& memory);
  /// [N, C, H, W] -> [N, F] in evaluation mode.
  torch::Tensor evaluate(const torch::Tensor& images, NativeMemory<T>& memory);
  /// Takes d loss / d features of the last forward pass and returns the gradients of all
  /// parameters, layer by layer: convolution weight, batch-norm weight, batch-norm bias.
  std::vector<torch::Tensor> backward(const torch::Tensor& gradient, NativeMemory<T>& memory);

 private:
  NativeActivations<T> begin(const torch::Tensor& images, NativeMemory<T>& memory);
  torch::Tensor average(const NativeActivations<T>& maps, NativeMemory<T>& memory) const;

  int64_t grid_;
  std::vector<std::unique_ptr<NativeBlock<T>>> parts_;
  torch::Tensor images_;
  std::vector<NativeActivations<T>> maps_;  // input of each block, and output of the last
};

}  // namespace projnce::encoder
