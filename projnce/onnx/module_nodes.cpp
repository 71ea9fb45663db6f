#include "projnce/onnx/module_nodes.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include "projnce/encoder/resnet.h"

namespace projnce::onnx {

namespace {

using Ints = std::vector<int64_t>;

/// Output size of a window that slides over `size` pixels.
int64_t output_size(int64_t size, const Window& window) {
  return (size + 2 * window.padding - window.kernel) / window.stride + 1;
}

std::vector<OnnxAttribute> window_attributes(const Window& window) {
  return {{"kernel_shape", Ints(2, window.kernel)},
          {"strides", Ints(2, window.stride)},
          {"pads", Ints(4, window.padding)}};
}

GraphValue add_conv(OnnxGraph& graph, const torch::nn::Conv2dImpl& conv, const std::string& name,
                    const GraphValue& input) {
  const auto kernel = conv.options.kernel_size()->at(0);
  // Computed like in make_conv, because the type of the option differs between LibTorch versions.
  const Window window{kernel, conv.options.stride()->at(0), kernel / 2};
  const auto weight = add_tensor(graph, name + ".weight", conv.weight);
  return {graph.add_node({"Conv", {input.name, weight}, name, window_attributes(window)}),
          {conv.weight.size(0), output_size(input.shape[1], window),
           output_size(input.shape[2], window)}};
}

GraphValue add_batch_norm(OnnxGraph& graph, const encoder::BatchNormImpl& norm,
                          const std::string& name, const GraphValue& input) {
  const auto state = [&](const char* part, const torch::Tensor& tensor) {
    return add_tensor(graph, name + "." + part, tensor);
  };
  return {graph.add_node(
              {"BatchNormalization",
               {input.name, state("weight", norm.weight), state("bias", norm.bias),
                state("running_mean", norm.running_mean), state("running_var", norm.running_var)},
               name,
               {{"epsilon", static_cast<float>(norm.options.eps())}}}),
          input.shape};
}

GraphValue add_sequence(OnnxGraph& graph, const torch::nn::Module& sequence,
                        const std::string& name, GraphValue value) {
  for (const auto& child : sequence.named_children()) {
    value = add_module_nodes(graph, *child.value(), name + "." + child.key(), value);
  }
  return value;
}

GraphValue add_block(OnnxGraph& graph, const encoder::ResidualBlockImpl& block,
                     const std::string& name, const GraphValue& input) {
  const auto children = block.named_children();
  const auto apply = [&](const std::string& child, const GraphValue& value) {
    return add_module_nodes(graph, *children[child], name + "." + child, value);
  };
  auto value = add_relu(graph, name + ".relu1", apply("bn1", apply("conv1", input)));
  value = apply("bn2", apply("conv2", value));
  const auto shortcut = children.contains("downsample") ? apply("downsample", input) : input;
  value.name = graph.add_node({"Add", {value.name, shortcut.name}, name + ".sum"});
  return add_relu(graph, name + ".relu2", value);
}

}  // namespace

std::string add_tensor(OnnxGraph& graph, const std::string& name, const torch::Tensor& tensor) {
  TORCH_CHECK(tensor.scalar_type() == torch::kFloat32, name, " has type ", tensor.scalar_type(),
              ", expected float32");
  const auto kept = std::make_shared<const torch::Tensor>(tensor.detach().cpu().contiguous());
  return graph.add_constant({name,
                             OnnxType::kFloat,
                             kept->sizes().vec(),
                             {static_cast<const std::byte*>(kept->data_ptr()), kept->nbytes()},
                             kept});
}

GraphValue add_relu(OnnxGraph& graph, const std::string& name, const GraphValue& input) {
  return {graph.add_node({"Relu", {input.name}, name}), input.shape};
}

GraphValue add_max_pool(OnnxGraph& graph, const std::string& name, const Window& window,
                        const GraphValue& input) {
  return {
      graph.add_node({"MaxPool", {input.name}, name, window_attributes(window)}),
      {input.shape[0], output_size(input.shape[1], window), output_size(input.shape[2], window)}};
}

GraphValue add_linear(OnnxGraph& graph, const std::string& name, const torch::Tensor& weight,
                      const torch::Tensor& bias, const GraphValue& input) {
  std::vector<std::string> inputs = {input.name, add_tensor(graph, name + ".weight", weight)};
  if (bias.defined()) inputs.push_back(add_tensor(graph, name + ".bias", bias));
  return {graph.add_node({"Gemm", std::move(inputs), name, {{"transB", int64_t{1}}}}),
          {weight.size(0)}};
}

std::string add_l2_normalize(OnnxGraph& graph, const std::string& name, const std::string& rows,
                             double epsilon) {
  const auto epsilon_constant =
      graph.add_floats(name + ".least_length", {}, {static_cast<float>(epsilon)});
  const auto length = graph.add_node({"ReduceL2", {rows}, name + ".length", {{"axes", Ints{1}}}});
  const auto divisor = graph.add_node({"Clip", {length, epsilon_constant}, name + ".divisor"});
  return graph.add_node({"Div", {rows, divisor}, name});
}

GraphValue add_module_nodes(OnnxGraph& graph, const torch::nn::Module& module,
                            const std::string& name, const GraphValue& input) {
  using namespace torch::nn;
  if (module.as<SequentialImpl>() != nullptr) return add_sequence(graph, module, name, input);
  if (const auto* block = module.as<encoder::ResidualBlockImpl>()) {
    return add_block(graph, *block, name, input);
  }
  if (const auto* conv = module.as<Conv2dImpl>()) return add_conv(graph, *conv, name, input);
  if (const auto* norm = module.as<encoder::BatchNormImpl>()) {
    return add_batch_norm(graph, *norm, name, input);
  }
  if (const auto* linear = module.as<LinearImpl>()) {
    return add_linear(graph, name, linear->weight, linear->bias, input);
  }
  if (module.as<ReLUImpl>() != nullptr) return add_relu(graph, name, input);
  const auto* pool = module.as<MaxPool2dImpl>();
  TORCH_CHECK(pool != nullptr, name, " is a ", module.name(),
              ", which the ONNX export does not support");
  const auto& options = pool->options;
  return add_max_pool(
      graph, name,
      {options.kernel_size()->at(0), options.stride()->at(0), options.padding()->at(0)}, input);
}

}  // namespace projnce::onnx
