#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "projnce/encoder/encoder.h"

namespace projnce::encoder {

/// Projection head between features and embeddings.
enum class HeadKind {
  kMlp,     ///< Linear(F, F), ReLU, Linear(F, D)
  kLinear,  ///< Linear(F, D)
  kNone,    ///< identity; D = F
};

/// Options of ProjectionHead.
struct HeadOptions {
  HeadKind kind = HeadKind::kMlp;  ///< layers of the head
  int64_t dim = 128;               ///< D; ignored by kNone
};

/// Lower bound of the norm when embeddings are normalized: dividing a nearly zero vector by a
/// smaller number would make its gradient explode.
inline constexpr double kEmbeddingNormEpsilon = 1e-6;

/// Maps the encoder's features to L2-normalized embeddings: [N, F] -> [N, D].
class ProjectionHeadImpl : public torch::nn::Module {
 public:
  ProjectionHeadImpl(int64_t feature_dim, const HeadOptions& options);
  /// [N, F] -> [N, D], L2-normalized rows.
  torch::Tensor forward(const torch::Tensor& features);
  /// D.
  int64_t embedding_dim() const { return embedding_dim_; }

 private:
  int64_t embedding_dim_;
  torch::nn::Sequential layers_{nullptr};
};
TORCH_MODULE(ProjectionHead);

/// Outputs of the model for a batch.
struct Encoded {
  torch::Tensor features;    // [N, F], the encoder's output
  torch::Tensor embeddings;  // [N, D], L2-normalized
};

/// Encoder with projection head, as submodules "encoder" and "head".
class EmbeddingModel : public torch::nn::Module {
 public:
  /// The input size of the head is the encoder's feature dimension.
  EmbeddingModel(EncoderPtr encoder, const HeadOptions& head);

  /// `images`: [N, C, H, W]; fastest in channels-last memory format, which the weights also use.
  Encoded forward(const torch::Tensor& images);

  /// F.
  int64_t feature_dim() const { return encoder_->feature_dim(); }
  /// D.
  int64_t embedding_dim() const { return head_->embedding_dim(); }
  /// The network in front of the head.
  Encoder& encoder() { return *encoder_; }
  /// The network in front of the head.
  const Encoder& encoder() const { return *encoder_; }
  /// The projection head.
  ProjectionHeadImpl& head() { return *head_; }
  /// The projection head.
  const ProjectionHeadImpl& head() const { return *head_; }

 private:
  EncoderPtr encoder_;
  ProjectionHead head_;
};

/// Device of the parameters; the CPU for a module without parameters.
torch::Device device_of(const torch::nn::Module& module);

/// Shared ownership, as for all LibTorch modules.
using EmbeddingModelPtr = std::shared_ptr<EmbeddingModel>;

}  // namespace projnce::encoder
