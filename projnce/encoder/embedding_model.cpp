#include "projnce/encoder/embedding_model.h"

#include <torch/nn/functional/normalization.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

namespace projnce::encoder {

ProjectionHeadImpl::ProjectionHeadImpl(int64_t feature_dim, const HeadOptions& options)
    : embedding_dim_(options.kind == HeadKind::kNone ? feature_dim : options.dim) {
  using torch::nn::Linear;
  if (options.kind == HeadKind::kMlp) {
    layers_ = torch::nn::Sequential(Linear(feature_dim, feature_dim), torch::nn::ReLU(),
                                    Linear(feature_dim, options.dim));
  } else if (options.kind == HeadKind::kLinear) {
    layers_ = torch::nn::Sequential(Linear(feature_dim, options.dim));
  }
  if (!layers_.is_empty()) register_module("layers", layers_);
}

torch::Tensor ProjectionHeadImpl::forward(const torch::Tensor& features) {
  const auto projected = layers_.is_empty() ? features : layers_->forward(features);  // [N, D]
  namespace F = torch::nn::functional;
  return F::normalize(projected, F::NormalizeFuncOptions().dim(1).eps(kEmbeddingNormEpsilon));
}

EmbeddingModel::EmbeddingModel(EncoderPtr encoder, const HeadOptions& head)
    : encoder_(register_module("encoder", std::move(encoder))),
      head_(register_module("head", ProjectionHead(encoder_->feature_dim(), head))) {
  for (auto& parameter : parameters()) {
    if (parameter.dim() != 4) continue;
    parameter.set_data(parameter.detach().contiguous(torch::MemoryFormat::ChannelsLast));
  }
}

torch::Device device_of(const torch::nn::Module& module) {
  const auto parameters = module.parameters();
  return parameters.empty() ? torch::Device(torch::kCPU) : parameters.front().device();
}

Encoded EmbeddingModel::forward(const torch::Tensor& images) {
  const auto features = encoder_->forward(images);
  return {features, head_->forward(features)};
}

}  // namespace projnce::encoder
