#include "projnce/export/onnx_model.h"

#include "projnce/export/encoder_nodes.h"
#include "projnce/export/input_nodes.h"
#include "projnce/export/module_nodes.h"

namespace projnce {

namespace {

// Embeddings that were too short for unit length are divided by theirs after all, as wherever
// cosines are taken; zeros stay zeros.
constexpr double kCosineEpsilon = 1e-12;

void add_output(OnnxGraph& graph, const GraphValue& value) {
  graph.add_output({value.name, OnnxType::kFloat, value.sides});
}

/// `probability`: softmax of the scores over the temperature.
void add_probability_nodes(OnnxGraph& graph, const ClassScores& classes, const GraphValue& scores) {
  const auto temperature =
      graph.add_floats("temperature", {1}, {static_cast<float>(classes.temperature)});
  const auto scaled = graph.add_node({"Div", {scores.name, temperature}, "scaled_scores"});
  add_output(graph, {graph.add_node({"Softmax", {scaled}, "probability", {{"axis", int64_t{1}}}}),
                     scores.sides});
}

void add_class_nodes(OnnxGraph& graph, const ClassScores& classes, const GraphValue& features,
                     const GraphValue& embedding) {
  GraphValue scores;
  std::string unscaled;  // what the temperature divides
  if (classes.of == ClassScores::Of::kFeatures) {
    scores = add_linear(graph, "classifier", classes.weight, classes.bias, features);
    unscaled = scores.name;
    scores.name = graph.add_node({"Softmax", {scores.name}, "scores", {{"axis", int64_t{1}}}});
  } else {
    const GraphValue unit{
        add_unit_rows(graph, "class_vectors.unit", embedding.name, kCosineEpsilon),
        embedding.sides};
    scores = add_linear(graph, "class_vectors", classes.weight, classes.bias, unit);
    unscaled = scores.name;
    scores.name = graph.add_node({"Identity", {scores.name}, "scores"});
  }
  add_output(graph, scores);
  graph.add_node(
      {"ArgMax", {scores.name}, "class", {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}}});
  graph.add_output({"class", OnnxType::kInt64, {}});
  if (classes.temperature > 0) add_probability_nodes(graph, classes, {unscaled, scores.sides});
}

}  // namespace

OnnxGraph make_onnx_graph(const EmbeddingModel& model, const InputFormat& format,
                          const std::optional<ClassScores>& classes) {
  OnnxGraph graph;
  const auto input = add_input_nodes(graph, format);
  const auto encoded = add_encoder_nodes(graph, model.encoder(), input);
  const GraphValue features{graph.add_node({"Identity", {encoded.name}, "features"}),
                            encoded.sides};
  const auto embedding = add_head_nodes(graph, model.head(), features, "embedding");
  add_output(graph, embedding);
  add_output(graph, features);
  if (classes) add_class_nodes(graph, *classes, features, embedding);
  return graph;
}

}  // namespace projnce
