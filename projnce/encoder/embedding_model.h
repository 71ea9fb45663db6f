#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>

#include "projnce/encoder/encoder.h"
#include "projnce/encoder/projection_head.h"

namespace projnce {

/// What the model says about a batch of pictures.
struct Encoded {
  torch::Tensor features;    // [N, F], the encoder's output
  torch::Tensor embeddings;  // [N, D], unit length
};

/// Encoder and head: the thing that is trained, saved and used afterwards. Its parts are the
/// submodules "encoder" and "head".
class EmbeddingModel : public torch::nn::Module {
 public:
  /// The head is made to fit the encoder, which may be any.
  EmbeddingModel(EncoderPtr encoder, const HeadOptions& head);

  /// `images`: [N, C, H, W]; fastest in channels-last memory, which the weights are kept in.
  Encoded forward(const torch::Tensor& images);

  /// F.
  int64_t feature_dim() const { return encoder_->feature_dim(); }
  /// D.
  int64_t embedding_dim() const { return head_->embedding_dim(); }
  /// The part that outlives training.
  Encoder& encoder() { return *encoder_; }
  /// The same, to look at.
  const Encoder& encoder() const { return *encoder_; }
  /// The part behind it, which losses look at.
  ProjectionHeadImpl& head() { return *head_; }
  /// The same, to look at.
  const ProjectionHeadImpl& head() const { return *head_; }

 private:
  EncoderPtr encoder_;
  ProjectionHead head_;
};

/// Models are shared, as LibTorch's modules are.
using EmbeddingModelPtr = std::shared_ptr<EmbeddingModel>;

}  // namespace projnce
