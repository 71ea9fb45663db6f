#include "projnce/encoder/mlp.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/encoder/layers.h"

namespace projnce::encoder {

Mlp::Mlp(const MlpOptions& options)
    : layer_count_(options.layers),
      feature_dim_(options.input.channels * options.input.height * options.input.width),
      layers_(torch::nn::Sequential()) {
  for (int64_t i = 0; i < options.layers; ++i) {
    // No bias: the batch-norm that follows has one.
    layers_->push_back(
        torch::nn::Linear(torch::nn::LinearOptions(feature_dim_, options.width).bias(false)));
    layers_->push_back(BatchNorm(options.width));
    layers_->push_back(torch::nn::ReLU());
    feature_dim_ = options.width;
  }
  register_module("layers", layers_);
}

torch::Tensor Mlp::forward(const torch::Tensor& images) {
  const auto vectors = images.flatten(1);
  return layer_count_ == 0 ? vectors : layers_->forward(vectors);  // [N, F]
}

std::string Mlp::describe() const {
  if (layer_count_ == 0) return concat("identity, ", counted(feature_dim_, "feature"));
  return concat(counted(layer_count_, "layer"), " of ", feature_dim_);
}

}  // namespace projnce::encoder
