#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>

#include "projnce/onnx/onnx_graph.h"

namespace projnce::onnx {

/// A tensor of float32 as a constant; copied where it does not lie in C order.
std::string add_tensor(OnnxGraph& graph, const std::string& name, const torch::Tensor& tensor);

/// What a module computes in evaluation, as nodes whose values and weights carry the module's name:
/// convolutions, linear layers, batch-norm, ReLU, max-pooling, residual blocks and sequences of
/// them.
GraphValue add_module_nodes(OnnxGraph& graph, const torch::nn::Module& module,
                            const std::string& name, const GraphValue& input);

GraphValue add_relu(OnnxGraph& graph, const std::string& name, const GraphValue& input);

/// Square fields that are moved over maps; what the last step does not fill is left out.
struct MovedFields {
  int64_t kernel = 2;
  int64_t stride = 2;
  int64_t padding = 0;
};
GraphValue add_max_pool(OnnxGraph& graph, const std::string& name, const MovedFields& fields,
                        const GraphValue& input);

/// x W^T + b; `bias` may be undefined.
GraphValue add_linear(OnnxGraph& graph, const std::string& name, const torch::Tensor& weight,
                      const torch::Tensor& bias, const GraphValue& input);

/// Rows divided by their lengths, or by `epsilon` where they are shorter.
std::string add_unit_rows(OnnxGraph& graph, const std::string& name, const std::string& rows,
                          double epsilon);

}  // namespace projnce::onnx
