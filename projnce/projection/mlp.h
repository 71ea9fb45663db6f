#pragma once

#include "projnce/projection/projection.h"

namespace projnce::projection {

/// Options of MlpProjection.
struct MlpProjectionOptions {
  /// C: labels run from 0 to C-1.
  int64_t num_classes = 0;
  /// D: size of the embeddings.
  int64_t embedding_dim = 0;
  /// 0: one free vector per class. Above 0: size of the hidden layer of
  /// Linear(C, hidden)-ReLU-Linear(hidden, D), applied to the one-hot label.
  int64_t hidden = 0;
};

/// Learned class vectors: a linear map or a small network of the one-hot label, evaluated once per
/// class and step.
///
/// Free vectors are initialized from N(0, 1/D), which gives them a norm near 1. Only classes in the
/// batch receive gradients. Throws an Error if a label is outside 0..C-1.
class MlpProjection : public Projection {
 public:
  explicit MlpProjection(const MlpProjectionOptions& options);
  Projected project(const CandidateRows& candidates) override;

  /// The vectors of all classes, [C, D]; differentiable.
  torch::Tensor class_vectors() const;

 private:
  torch::Tensor weight_;         // [C, D], or [C, hidden]
  torch::Tensor bias_;           // [hidden]
  torch::Tensor output_weight_;  // [hidden, D]
  torch::Tensor output_bias_;    // [D]
};

}  // namespace projnce::projection
