#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>

#include "projnce/onnx/onnx_graph.h"

namespace projnce::onnx {

/// Adds a float32 tensor as a constant; copies it if it is not contiguous. Returns its name.
std::string add_tensor(OnnxGraph& graph, const std::string& name, const torch::Tensor& tensor);

/// Adds the nodes of a module in evaluation mode; values and weights are prefixed with `name`.
/// Supports convolutions, linear layers, batch norm, ReLU, max pooling, residual blocks and
/// sequences of these.
GraphValue add_module_nodes(OnnxGraph& graph, const torch::nn::Module& module,
                            const std::string& name, const GraphValue& input);

GraphValue add_relu(OnnxGraph& graph, const std::string& name, const GraphValue& input);

/// Square pooling or convolution window; output sizes are rounded down.
struct Window {
  int64_t kernel = 2;
  int64_t stride = 2;
  int64_t padding = 0;
};
GraphValue add_max_pool(OnnxGraph& graph, const std::string& name, const Window& window,
                        const GraphValue& input);

/// Adds x W^T + b; `bias` may be undefined.
GraphValue add_linear(OnnxGraph& graph, const std::string& name, const torch::Tensor& weight,
                      const torch::Tensor& bias, const GraphValue& input);

/// Adds the L2 normalization of rows: x / max(||x||, epsilon).
std::string add_l2_normalize(OnnxGraph& graph, const std::string& name, const std::string& rows,
                             double epsilon);

}  // namespace projnce::onnx
