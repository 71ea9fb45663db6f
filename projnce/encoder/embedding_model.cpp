#include "projnce/encoder/embedding_model.h"

#include <torch/types.h>

namespace projnce {

EmbeddingModel::EmbeddingModel(EncoderPtr encoder, const HeadOptions& head)
    : encoder_(register_module("encoder", std::move(encoder))),
      head_(register_module("head", ProjectionHead(encoder_->feature_dim(), head))) {
  for (auto& parameter : parameters()) {
    if (parameter.dim() != 4) continue;
    parameter.set_data(parameter.detach().contiguous(torch::MemoryFormat::ChannelsLast));
  }
}

Encoded EmbeddingModel::forward(const torch::Tensor& images) {
  const auto features = encoder_->forward(images);
  return {features, head_->forward(features)};
}

}  // namespace projnce
