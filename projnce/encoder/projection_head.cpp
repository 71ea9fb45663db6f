#include "projnce/encoder/projection_head.h"

#include <torch/nn/functional/normalization.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

namespace projnce {

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

}  // namespace projnce
