#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <cstdint>
#include <string>

#include "projnce/encoder/encoder.h"

namespace projnce::encoder {

/// What an Mlp is built from.
struct MlpOptions {
  InputShape input;     ///< vectors: 1 x 1 pixels with as many channels as values
  int64_t layers = 0;   ///< 0: the input itself, so that only the head is trained
  int64_t width = 512;  ///< of each layer
};

/// Fully connected layers with batch-norm and ReLU, for vectors that another model made.
class Mlp : public Encoder {
 public:
  explicit Mlp(const MlpOptions& options);
  torch::Tensor forward(const torch::Tensor& images) override;
  int64_t feature_dim() const override { return feature_dim_; }
  std::string describe() const override;

 private:
  int64_t layer_count_;
  int64_t feature_dim_;
  torch::nn::Sequential layers_;
};

}  // namespace projnce::encoder
