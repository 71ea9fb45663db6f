#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <cstdint>
#include <string>

#include "projnce/encoder/encoder.h"

namespace projnce {

struct AudioCnnOptions {
  InputShape input;
  int64_t width = 32;  ///< channels of the first layer; doubled in each of the two that follow
};

/// Three layers for spectrograms: 3x3 convolution, batch-norm, ReLU, 2x2 max-pooling each; global
/// average pooling at the end: F = 4 * width.
class AudioCnn : public Encoder {
 public:
  explicit AudioCnn(const AudioCnnOptions& options);
  torch::Tensor forward(const torch::Tensor& images) override;
  int64_t feature_dim() const override { return feature_dim_; }
  std::string describe() const override;

 private:
  int64_t feature_dim_;
  torch::nn::Sequential layers_;
};

}  // namespace projnce
