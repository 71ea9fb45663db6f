#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "projnce/encoder/encoder.h"

namespace projnce::encoder {

/// What stands between features and embeddings.
enum class HeadKind {
  kMlp,     ///< Linear(F, F), ReLU, Linear(F, D)
  kLinear,  ///< Linear(F, D)
  kNone,    ///< the features themselves; D = F
};

/// What a ProjectionHead is built from.
struct HeadOptions {
  HeadKind kind = HeadKind::kMlp;  ///< its layers
  int64_t dim = 128;               ///< D; ignored by kNone
};

/// Lengths below this count as this when embeddings are divided by theirs: a vector of zeros has no
/// direction, and dividing by a tinier number would blow up its gradient.
inline constexpr double kEmbeddingNormEpsilon = 1e-6;

/// Maps the encoder's features to embeddings of unit length: [N, F] -> [N, D].
class ProjectionHeadImpl : public torch::nn::Module {
 public:
  /// For features of that size.
  ProjectionHeadImpl(int64_t feature_dim, const HeadOptions& options);
  /// [N, F] -> [N, D], rows of unit length.
  torch::Tensor forward(const torch::Tensor& features);
  /// D.
  int64_t embedding_dim() const { return embedding_dim_; }

 private:
  int64_t embedding_dim_;
  torch::nn::Sequential layers_{nullptr};
};
TORCH_MODULE(ProjectionHead);

/// What the model says about a batch of images.
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

}  // namespace projnce::encoder
