#pragma once

#include <torch/types.h>

#include <optional>

#include "projnce/augment/input_format.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/onnx/onnx_graph.h"

namespace projnce::onnx {

/// What tells the classes apart: scores are x W^T + b of something the model says.
struct ClassScores {
  enum class Of {
    kFeatures,    ///< logits of a classifier over the features; their softmax is taken
    kEmbeddings,  ///< cosines with class vectors at unit length
  };
  Of of = Of::kEmbeddings;
  torch::Tensor weight;  // [C, F] or [C, D]
  torch::Tensor bias;    // [C]; minus infinity: the class is never taken
  /// Of calibrated probabilities, softmax((x W^T + b) / temperature); 0: none are given.
  double temperature = 0;
};

/// The model as a graph with its preprocessing inside: `image`, `waveform` or `vector` in (see
/// onnx_model.cpp); `embedding` [batch, D] of unit length and `features` [batch, F] out, with
/// classes also `scores` [batch, C] and `class` [batch], with a temperature `probability`
/// [batch, C]. It lends the model's weights, so that they
/// must not change before it is written.
OnnxGraph make_onnx_graph(const encoder::EmbeddingModel& model, const augment::InputFormat& format,
                          const std::optional<ClassScores>& classes);

}  // namespace projnce::onnx
