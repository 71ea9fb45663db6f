#pragma once

#include <torch/types.h>

#include <optional>

#include "projnce/augment/input_format.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/onnx/onnx_graph.h"

namespace projnce::onnx {

/// Linear class scores x W^T + b of features or embeddings.
struct ClassScores {
  enum class Of {
    kFeatures,    ///< logits of a classifier on the features, followed by softmax
    kEmbeddings,  ///< cosine similarities to unit class vectors
  };
  Of of = Of::kEmbeddings;
  torch::Tensor weight;  // [C, F] or [C, D]
  torch::Tensor bias;    // [C]; -inf: never predicted
  /// Of the calibrated probabilities softmax((x W^T + b) / temperature); 0: no probabilities.
  double temperature = 0;
};

/// Builds the graph of a model, including its preprocessing. Input: `image`, `waveform` or `vector`
/// (see onnx_model.cpp). Outputs: `embedding` [batch, D] of unit length, `features` [batch, F];
/// with `classes` also `scores` [batch, C] and `class` [batch], and with a temperature
/// `probability` [batch, C]. The graph references the weights of the model, which must not change
/// before it is written.
OnnxGraph make_onnx_graph(const encoder::EmbeddingModel& model, const augment::InputFormat& format,
                          const std::optional<ClassScores>& classes);

}  // namespace projnce::onnx
