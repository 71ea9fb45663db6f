#pragma once

#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

namespace projnce {

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

}  // namespace projnce
