#include "projnce/projection/mlp.h"

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/projection/class_groups.h"

namespace projnce::projection {

namespace {

torch::Tensor normal(int64_t rows, int64_t columns, int64_t fan) {
  return torch::randn({rows, columns}) / std::sqrt(static_cast<double>(fan));
}

}  // namespace

MlpProjection::MlpProjection(const MlpProjectionOptions& options) {
  const auto [classes, dim, hidden] = options;
  if (classes < 1 || dim < 1 || hidden < 0) {
    fail("projection mlp: num_classes = ", classes, ", embedding_dim = ", dim,
         ", hidden = ", hidden, "; the first two must be at least 1, the last at least 0");
  }
  if (hidden == 0) {
    weight_ = register_parameter("class_vectors", normal(classes, dim, dim));
    return;
  }
  // The input is one-hot, so each hidden unit receives a single weight: variance 1.
  weight_ = register_parameter("hidden_weight", normal(classes, hidden, 1));
  bias_ = register_parameter("hidden_bias", torch::zeros({hidden}));
  output_weight_ = register_parameter("output_weight", normal(hidden, dim, hidden));
  output_bias_ = register_parameter("output_bias", torch::zeros({dim}));
}

torch::Tensor MlpProjection::class_vectors() const {
  if (!bias_.defined()) return weight_;
  // A linear layer applied to the identity is its weight matrix, so no C x C matrix is needed.
  return torch::addmm(output_bias_, torch::relu(weight_ + bias_), output_weight_);
}

Projected MlpProjection::project(const CandidateRows& candidates) {
  const auto vectors = class_vectors().to(candidates.rows.scalar_type());
  return {.vectors = select_class_vectors(vectors, candidates.groups, "projection mlp")};
}

}  // namespace projnce::projection
