#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <cstdint>
#include <string>

#include "projnce/encoder/encoder.h"

namespace projnce::encoder {

/// Options of Mlp.
struct MlpOptions {
  InputShape input;     ///< feature vectors: 1 x 1 pixels, one channel per value
  int64_t layers = 0;   ///< number of layers; 0 = identity, so that only the head is trained
  int64_t width = 512;  ///< width of each layer
};

/// Fully connected layers with batch-norm and ReLU, for precomputed feature vectors.
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
