#include "projnce/onnx/onnx_model.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "projnce/augment/input_format.h"
#include "projnce/augment/sound/log_mel.h"
#include "projnce/augment/sound/mel_options.h"
#include "projnce/encoder/audio_cnn.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/encoder/encoder.h"
#include "projnce/encoder/mlp.h"
#include "projnce/encoder/resnet.h"
#include "projnce/onnx/module_nodes.h"
#include "projnce/onnx/onnx_graph.h"

namespace projnce::onnx {

namespace {

constexpr int64_t kStftOpset = 17;  // the first that has the operator

/// The samples at places `begin` to `end` of a sound that goes on as its mirror image.
std::string mirrored_part(OnnxGraph& graph, const std::string& waveform, int64_t samples,
                          const std::string& name, int64_t begin, int64_t end) {
  std::vector<int64_t> places;
  for (int64_t i = begin; i < end; ++i) places.push_back(augment::mirrored_index(i, samples));
  const auto at = graph.add_whole_numbers(name + ".places", {end - begin}, std::move(places));
  return graph.add_node({"Gather", {waveform, at}, name, {{"axis", int64_t{1}}}});
}

/// The sound with half a frame more at its beginning and what the last frame needs at its end.
std::string extended(OnnxGraph& graph, const std::string& waveform,
                     const augment::MelOptions& options) {
  const int64_t samples = options.samples();
  const int64_t half = options.fft / 2;
  const int64_t end = (options.frames() - 1) * options.hop + half;
  std::vector<std::string> parts = {mirrored_part(graph, waveform, samples, "mel.before", -half, 0),
                                    waveform};
  if (end > samples) {
    parts.push_back(mirrored_part(graph, waveform, samples, "mel.after", samples, end));
  }
  return graph.add_node({"Concat", std::move(parts), "mel.extended", {{"axis", int64_t{1}}}});
}

/// [bins, mels]
std::vector<float> filter_matrix(const augment::MelOptions& options) {
  const auto bands = augment::mel_filters(options);
  std::vector<float> matrix(static_cast<size_t>(options.fft / 2 + 1) * bands.size());
  for (size_t band = 0; band < bands.size(); ++band) {
    const auto& [first, weights] = bands[band];
    for (size_t k = 0; k < weights.size(); ++k) {
      matrix[(static_cast<size_t>(first) + k) * bands.size() + band] =
          static_cast<float>(weights[k]);
    }
  }
  return matrix;
}

std::string cast(OnnxGraph& graph, const std::string& value, OnnxType type,
                 const std::string& name) {
  return graph.add_node({"Cast", {value}, name, {{"to", static_cast<int64_t>(type)}}});
}

/// [batch, frames, bins]; sums of them lose nothing in single precision, none is negative.
std::string powers(OnnxGraph& graph, const std::string& sound, const augment::MelOptions& options) {
  graph.require_opset(kStftOpset);
  const auto exact = cast(graph, sound, OnnxType::kDouble, "mel.double");
  const auto last = graph.add_whole_numbers("mel.last_axis", {1}, {-1});
  const auto column = graph.add_node({"Unsqueeze", {exact, last}, "mel.column"});
  const auto hop = graph.add_whole_numbers("mel.hop", {}, {options.hop});
  const auto window =
      graph.add_doubles("mel.window", {options.fft}, augment::periodic_hann(options.fft));
  const auto size = graph.add_whole_numbers("mel.fft", {}, {options.fft});
  const auto spectra = graph.add_node(
      {"STFT", {column, hop, window, size}, "mel.spectra", {{"onesided", int64_t{1}}}});
  const auto squares = graph.add_node({"Mul", {spectra, spectra}, "mel.squares"});
  const auto sums =
      graph.add_node({"ReduceSum", {squares, last}, "mel.powers", {{"keepdims", int64_t{0}}}});
  return cast(graph, sums, OnnxType::kFloat, "mel.single");
}

/// LogMel as nodes: [batch, options.samples()] -> [batch, mels, frames]. Spectra are computed in
/// double precision, as LogMel does: in single precision a loud tone drowns what is far below it.
std::string add_log_mel_nodes(OnnxGraph& graph, const std::string& waveform,
                              const augment::MelOptions& options) {
  const auto power = powers(graph, extended(graph, waveform, options), options);
  const auto filters =
      graph.add_floats("mel.filters", {options.fft / 2 + 1, options.mels}, filter_matrix(options));
  const auto floor = graph.add_floats("mel.floor", {}, {static_cast<float>(augment::kLogMelFloor)});
  const auto bands = graph.add_node({"MatMul", {power, filters}, "mel.bands"});
  const auto above = graph.add_node({"Add", {bands, floor}, "mel.above_floor"});
  const auto logarithm = graph.add_node({"Log", {above}, "mel.logarithm"});
  return graph.add_node(
      {"Transpose", {logarithm}, "mel.spectrogram", {{"perm", std::vector<int64_t>{0, 2, 1}}}});
}

/// x * scale + shift, as loaders standardize; one of each, or one for each channel.
std::string standardized(OnnxGraph& graph, const std::string& value,
                         const std::vector<double>& means, const std::vector<double>& deviations) {
  std::vector<float> scale;
  std::vector<float> shift;
  for (size_t c = 0; c < means.size(); ++c) {
    scale.push_back(static_cast<float>(1 / deviations[c]));
    shift.push_back(static_cast<float>(-means[c] / deviations[c]));
  }
  const std::vector<int64_t> sides = {static_cast<int64_t>(means.size()), 1, 1};
  const auto by = graph.add_floats("input.scale", sides, std::move(scale));
  const auto plus = graph.add_floats("input.shift", sides, std::move(shift));
  const auto scaled = graph.add_node({"Mul", {value, by}, "input.scaled"});
  return graph.add_node({"Add", {scaled, plus}, "input.standardized"});
}

/// The graph's input and what is done to it before the encoder, which gets [batch, C, H, W]:
///
///   image [batch, C, S, S]     images on the scale 0..1, standardized by mean and deviation
///   waveform [batch, samples]  sounds of the trained rate and length: log-mel, standardized
///   vector [batch, size]       vectors, standardized
GraphValue add_input_nodes(OnnxGraph& graph, const augment::InputFormat& format) {
  const std::vector<int64_t> sides = {format.channels(), format.height(), format.width()};
  if (format.kind == SampleKind::kImage) {
    graph.add_input({"image", OnnxType::kFloat, sides});
    return {standardized(graph, "image", format.image.mean, format.image.std), sides};
  }
  std::string value;
  if (format.kind == SampleKind::kSound) {
    graph.add_input({"waveform", OnnxType::kFloat, {format.mel.samples()}});
    value = add_log_mel_nodes(graph, "waveform", format.mel);
  } else {
    graph.add_input({"vector", OnnxType::kFloat, {format.vector_size}});
    value = "vector";
  }
  const auto shape =
      graph.add_whole_numbers("input.shape", {4}, {-1, sides[0], sides[1], sides[2]});
  const auto shaped = graph.add_node({"Reshape", {value, shape}, "input.shaped"});
  return {standardized(graph, shaped, {format.mean}, {format.std}), sides};
}

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

GraphValue add_resnet(OnnxGraph& graph, const encoder::ResNet& resnet, GraphValue value) {
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

/// Any encoder of the registry as nodes: [batch, C, H, W] -> [batch, F].
GraphValue add_encoder_nodes(OnnxGraph& graph, const encoder::Encoder& encoder,
                             const GraphValue& input) {
  if (const auto* resnet = encoder.as<encoder::ResNet>()) return add_resnet(graph, *resnet, input);
  if (encoder.as<encoder::Mlp>() != nullptr) {
    return add_layers(graph, encoder, kEncoder, add_flatten(graph, input));
  }
  const auto* audio = encoder.as<encoder::AudioCnn>();
  TORCH_CHECK(audio != nullptr, encoder.name(), " has no form in ONNX here");
  const auto maps = add_layers(graph, encoder, kEncoder, input);
  return audio->grid() == 1 ? add_global_average(graph, maps)
                            : add_grid_averages(graph, audio->grid(), maps);
}

/// The head as nodes that end in the value `output`: [batch, F] -> [batch, D], of unit length.
GraphValue add_head_nodes(OnnxGraph& graph, const encoder::ProjectionHeadImpl& head,
                          const GraphValue& features, const std::string& output) {
  const auto projected =
      head.children().empty() ? features : add_layers(graph, head, "head", features);
  return {add_unit_rows(graph, output, projected.name, encoder::kEmbeddingNormEpsilon),
          projected.sides};
}

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

OnnxGraph make_onnx_graph(const encoder::EmbeddingModel& model, const augment::InputFormat& format,
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

}  // namespace projnce::onnx
