#include "projnce/export/encoder_nodes.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <functional>
#include <numeric>

#include "projnce/encoder/audio_cnn.h"
#include "projnce/encoder/mlp.h"
#include "projnce/encoder/resnet.h"
#include "projnce/export/module_nodes.h"

namespace projnce {

namespace {

const std::string kEncoder = "encoder";

GraphValue add_flatten(OnnxGraph& graph, const GraphValue& input) {
  const auto count = std::accumulate(input.sides.begin(), input.sides.end(), int64_t{1},
                                     std::multiplies<int64_t>());
  return {graph.add_node({"Flatten", {input.name}, kEncoder + ".flat"}), {count}};
}

GraphValue add_global_average(OnnxGraph& graph, const GraphValue& maps) {
  const auto averages = graph.add_node({"GlobalAveragePool", {maps.name}, kEncoder + ".average"});
  return add_flatten(graph, {averages, {maps.sides[0], 1, 1}});
}

/// [fields, size]: row i takes the average of the pixels from floor(i size / fields) to before
/// ceil((i + 1) size / fields), as adaptive_avg_pool2d has it. Fields overlap where `fields` does
/// not divide `size`.
torch::Tensor averages_along(int64_t size, int64_t fields) {
  auto matrix = torch::zeros({fields, size});
  for (int64_t i = 0; i < fields; ++i) {
    const int64_t begin = i * size / fields;
    const int64_t end = ((i + 1) * size + fields - 1) / fields;
    matrix[i].slice(0, begin, end).fill_(1.0 / static_cast<double>(end - begin));
  }
  return matrix;
}

GraphValue add_grid_averages(OnnxGraph& graph, int64_t grid, const GraphValue& maps) {
  const auto down =
      add_tensor(graph, kEncoder + ".rows_of_grid", averages_along(maps.sides[1], grid));
  const auto across =
      add_tensor(graph, kEncoder + ".columns_of_grid", averages_along(maps.sides[2], grid).t());
  const auto rows = graph.add_node({"MatMul", {down, maps.name}, kEncoder + ".grid_rows"});
  const auto fields = graph.add_node({"MatMul", {rows, across}, kEncoder + ".grid"});
  return add_flatten(graph, {fields, {maps.sides[0], grid, grid}});
}

GraphValue add_resnet(OnnxGraph& graph, const ResNet& resnet, GraphValue value) {
  for (const auto& child : resnet.named_children()) {
    const auto name = kEncoder + "." + child.key();
    value = add_module_nodes(graph, *child.value(), name, value);
    if (child.key() != "bn1") continue;
    value = add_relu(graph, kEncoder + ".relu", value);
    if (resnet.has_max_pool()) {
      value = add_max_pool(graph, kEncoder + ".maxpool", {.kernel = 3, .stride = 2, .padding = 1},
                           value);
    }
  }
  return add_global_average(graph, value);
}

GraphValue add_layers(OnnxGraph& graph, const torch::nn::Module& module, const std::string& name,
                      const GraphValue& input) {
  return add_module_nodes(graph, *module.named_children()["layers"], name + ".layers", input);
}

}  // namespace

GraphValue add_encoder_nodes(OnnxGraph& graph, const Encoder& encoder, const GraphValue& input) {
  if (const auto* resnet = encoder.as<ResNet>()) return add_resnet(graph, *resnet, input);
  if (encoder.as<Mlp>() != nullptr) {
    return add_layers(graph, encoder, kEncoder, add_flatten(graph, input));
  }
  const auto* audio = encoder.as<AudioCnn>();
  TORCH_CHECK(audio != nullptr, encoder.name(), " has no form in ONNX here");
  const auto maps = add_layers(graph, encoder, kEncoder, input);
  return audio->grid() == 1 ? add_global_average(graph, maps)
                            : add_grid_averages(graph, audio->grid(), maps);
}

GraphValue add_head_nodes(OnnxGraph& graph, const ProjectionHeadImpl& head,
                          const GraphValue& features, const std::string& output) {
  const auto projected =
      head.children().empty() ? features : add_layers(graph, head, "head", features);
  return {add_unit_rows(graph, output, projected.name, kEmbeddingNormEpsilon), projected.sides};
}

}  // namespace projnce
