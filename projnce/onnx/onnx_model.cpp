#include "projnce/onnx/onnx_model.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "projnce/augment/audio/log_mel.h"
#include "projnce/augment/audio/mel_options.h"
#include "projnce/augment/input_format.h"
#include "projnce/encoder/audio_cnn.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/encoder/encoder.h"
#include "projnce/encoder/mlp.h"
#include "projnce/encoder/resnet.h"
#include "projnce/onnx/module_nodes.h"
#include "projnce/onnx/onnx_graph.h"

namespace projnce::onnx {

namespace {

constexpr int64_t kStftOpset = 17;  // first opset with the operator

/// Samples `begin` to `end` of a waveform with reflection padding.
std::string reflected_samples(OnnxGraph& graph, const std::string& waveform, int64_t samples,
                              const std::string& name, int64_t begin, int64_t end) {
  std::vector<int64_t> indices;
  for (int64_t i = begin; i < end; ++i) indices.push_back(augment::mirrored_index(i, samples));
  const auto at = graph.add_ints(name + ".places", {end - begin}, std::move(indices));
  return graph.add_node({"Gather", {waveform, at}, name, {{"axis", int64_t{1}}}});
}

/// Waveform padded by half a frame at its start, and at its end as needed by the last frame.
std::string pad_waveform(OnnxGraph& graph, const std::string& waveform,
                         const augment::MelOptions& options) {
  const int64_t samples = options.samples();
  const int64_t half = options.fft / 2;
  const int64_t end = (options.frames() - 1) * options.hop + half;
  std::vector<std::string> parts = {
      reflected_samples(graph, waveform, samples, "mel.before", -half, 0), waveform};
  if (end > samples) {
    parts.push_back(reflected_samples(graph, waveform, samples, "mel.after", samples, end));
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

/// Power spectra [batch, frames, bins]. Single precision suffices for their sums: none is negative.
std::string power_spectra(OnnxGraph& graph, const std::string& audio,
                          const augment::MelOptions& options) {
  graph.require_opset(kStftOpset);
  const auto exact = cast(graph, audio, OnnxType::kDouble, "mel.double");
  const auto last = graph.add_ints("mel.last_axis", {1}, {-1});
  const auto column = graph.add_node({"Unsqueeze", {exact, last}, "mel.column"});
  const auto hop = graph.add_ints("mel.hop", {}, {options.hop});
  const auto window =
      graph.add_doubles("mel.window", {options.fft}, augment::periodic_hann(options.fft));
  const auto size = graph.add_ints("mel.fft", {}, {options.fft});
  const auto spectra = graph.add_node(
      {"STFT", {column, hop, window, size}, "mel.spectra", {{"onesided", int64_t{1}}}});
  const auto squares = graph.add_node({"Mul", {spectra, spectra}, "mel.squares"});
  const auto sums =
      graph.add_node({"ReduceSum", {squares, last}, "mel.powers", {{"keepdims", int64_t{0}}}});
  return cast(graph, sums, OnnxType::kFloat, "mel.single");
}

/// Adds LogMel: [batch, options.samples()] -> [batch, mels, frames]. Like LogMel, computes spectra
/// in double precision: in single precision, rounding errors of a loud tone mask quiet frequencies.
std::string add_log_mel_nodes(OnnxGraph& graph, const std::string& waveform,
                              const augment::MelOptions& options) {
  const auto power = power_spectra(graph, pad_waveform(graph, waveform, options), options);
  const auto filters =
      graph.add_floats("mel.filters", {options.fft / 2 + 1, options.mels}, filter_matrix(options));
  const auto floor = graph.add_floats("mel.floor", {}, {static_cast<float>(augment::kLogMelFloor)});
  const auto bands = graph.add_node({"MatMul", {power, filters}, "mel.bands"});
  const auto above = graph.add_node({"Add", {bands, floor}, "mel.above_floor"});
  const auto logarithm = graph.add_node({"Log", {above}, "mel.logarithm"});
  return graph.add_node(
      {"Transpose", {logarithm}, "mel.spectrogram", {{"perm", std::vector<int64_t>{0, 2, 1}}}});
}

/// Adds x * scale + shift, the standardization of the loaders, with one value or one per channel.
std::string standardize(OnnxGraph& graph, const std::string& value,
                        const std::vector<double>& means, const std::vector<double>& deviations) {
  std::vector<float> scale;
  std::vector<float> shift;
  for (size_t c = 0; c < means.size(); ++c) {
    scale.push_back(static_cast<float>(1 / deviations[c]));
    shift.push_back(static_cast<float>(-means[c] / deviations[c]));
  }
  const std::vector<int64_t> shape = {static_cast<int64_t>(means.size()), 1, 1};
  const auto by = graph.add_floats("input.scale", shape, std::move(scale));
  const auto plus = graph.add_floats("input.shift", shape, std::move(shift));
  const auto scaled = graph.add_node({"Mul", {value, by}, "input.scaled"});
  return graph.add_node({"Add", {scaled, plus}, "input.standardized"});
}

/// Adds the graph input and its preprocessing to [batch, C, H, W]:
///
///   image [batch, C, S, S]     images in [0, 1], standardized by mean and standard deviation
///   waveform [batch, samples]  audio of the training rate and length: log-mel, standardized
///   vector [batch, size]       vectors, standardized
GraphValue add_input_nodes(OnnxGraph& graph, const augment::InputFormat& format) {
  const std::vector<int64_t> shape = {format.channels(), format.height(), format.width()};
  if (format.kind == SampleKind::kImage) {
    graph.add_input({"image", OnnxType::kFloat, shape});
    return {standardize(graph, "image", format.image.mean, format.image.std), shape};
  }
  std::string value;
  if (format.kind == SampleKind::kAudio) {
    graph.add_input({"waveform", OnnxType::kFloat, {format.mel.samples()}});
    value = add_log_mel_nodes(graph, "waveform", format.mel);
  } else {
    graph.add_input({"vector", OnnxType::kFloat, {format.vector_size}});
    value = "vector";
  }
  const auto new_shape = graph.add_ints("input.shape", {4}, {-1, shape[0], shape[1], shape[2]});
  const auto shaped = graph.add_node({"Reshape", {value, new_shape}, "input.shaped"});
  return {standardize(graph, shaped, {format.mean}, {format.std}), shape};
}

const std::string kEncoder = "encoder";

GraphValue add_flatten(OnnxGraph& graph, const GraphValue& input) {
  const auto count = std::accumulate(input.shape.begin(), input.shape.end(), int64_t{1},
                                     std::multiplies<int64_t>());
  return {graph.add_node({"Flatten", {input.name}, kEncoder + ".flat"}), {count}};
}

GraphValue add_global_average(OnnxGraph& graph, const GraphValue& maps) {
  const auto averages = graph.add_node({"GlobalAveragePool", {maps.name}, kEncoder + ".average"});
  return add_flatten(graph, {averages, {maps.shape[0], 1, 1}});
}

/// Averaging matrix [bins, size] of adaptive_avg_pool2d: row i averages the pixels
/// floor(i size / bins) .. ceil((i + 1) size / bins) - 1. Bins overlap if `bins` does not divide
/// `size`.
torch::Tensor adaptive_average_matrix(int64_t size, int64_t bins) {
  auto matrix = torch::zeros({bins, size});
  for (int64_t i = 0; i < bins; ++i) {
    const int64_t begin = i * size / bins;
    const int64_t end = ((i + 1) * size + bins - 1) / bins;
    matrix[i].slice(0, begin, end).fill_(1.0 / static_cast<double>(end - begin));
  }
  return matrix;
}

GraphValue add_grid_averages(OnnxGraph& graph, int64_t grid, const GraphValue& maps) {
  const auto down =
      add_tensor(graph, kEncoder + ".rows_of_grid", adaptive_average_matrix(maps.shape[1], grid));
  const auto across = add_tensor(graph, kEncoder + ".columns_of_grid",
                                 adaptive_average_matrix(maps.shape[2], grid).t());
  const auto rows = graph.add_node({"MatMul", {down, maps.name}, kEncoder + ".grid_rows"});
  const auto fields = graph.add_node({"MatMul", {rows, across}, kEncoder + ".grid"});
  return add_flatten(graph, {fields, {maps.shape[0], grid, grid}});
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

/// Adds an encoder of the registry: [batch, C, H, W] -> [batch, F].
GraphValue add_encoder_nodes(OnnxGraph& graph, const encoder::Encoder& encoder,
                             const GraphValue& input) {
  if (const auto* resnet = encoder.as<encoder::ResNet>()) return add_resnet(graph, *resnet, input);
  if (encoder.as<encoder::Mlp>() != nullptr) {
    return add_layers(graph, encoder, kEncoder, add_flatten(graph, input));
  }
  const auto* audio = encoder.as<encoder::AudioCnn>();
  TORCH_CHECK(audio != nullptr, "the ONNX export does not support ", encoder.name());
  const auto maps = add_layers(graph, encoder, kEncoder, input);
  return audio->grid() == 1 ? add_global_average(graph, maps)
                            : add_grid_averages(graph, audio->grid(), maps);
}

/// Adds the projection head, with its result in `output`: [batch, F] -> [batch, D], unit length.
GraphValue add_head_nodes(OnnxGraph& graph, const encoder::ProjectionHeadImpl& head,
                          const GraphValue& features, const std::string& output) {
  const auto projected =
      head.children().empty() ? features : add_layers(graph, head, "head", features);
  return {add_l2_normalize(graph, output, projected.name, encoder::kEmbeddingNormEpsilon),
          projected.shape};
}

// Renormalizes embeddings whose norm was below kEmbeddingNormEpsilon, as in all cosine
// similarities; zeros stay zero.
constexpr double kCosineEpsilon = 1e-12;

void add_output(OnnxGraph& graph, const GraphValue& value) {
  graph.add_output({value.name, OnnxType::kFloat, value.shape});
}

/// Adds `probability`: softmax(scores / temperature).
void add_probability_nodes(OnnxGraph& graph, const ClassScores& classes, const GraphValue& scores) {
  const auto temperature =
      graph.add_floats("temperature", {1}, {static_cast<float>(classes.temperature)});
  const auto scaled = graph.add_node({"Div", {scores.name, temperature}, "scaled_scores"});
  add_output(graph, {graph.add_node({"Softmax", {scaled}, "probability", {{"axis", int64_t{1}}}}),
                     scores.shape});
}

void add_class_nodes(OnnxGraph& graph, const ClassScores& classes, const GraphValue& features,
                     const GraphValue& embedding) {
  GraphValue scores;
  std::string unscaled;  // scores before temperature scaling
  if (classes.of == ClassScores::Of::kFeatures) {
    scores = add_linear(graph, "classifier", classes.weight, classes.bias, features);
    unscaled = scores.name;
    scores.name = graph.add_node({"Softmax", {scores.name}, "scores", {{"axis", int64_t{1}}}});
  } else {
    const GraphValue unit{
        add_l2_normalize(graph, "class_vectors.unit", embedding.name, kCosineEpsilon),
        embedding.shape};
    scores = add_linear(graph, "class_vectors", classes.weight, classes.bias, unit);
    unscaled = scores.name;
    scores.name = graph.add_node({"Identity", {scores.name}, "scores"});
  }
  add_output(graph, scores);
  graph.add_node(
      {"ArgMax", {scores.name}, "class", {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}}});
  graph.add_output({"class", OnnxType::kInt64, {}});
  if (classes.temperature > 0) add_probability_nodes(graph, classes, {unscaled, scores.shape});
}

}  // namespace

OnnxGraph make_onnx_graph(const encoder::EmbeddingModel& model, const augment::InputFormat& format,
                          const std::optional<ClassScores>& classes) {
  OnnxGraph graph;
  const auto input = add_input_nodes(graph, format);
  const auto encoded = add_encoder_nodes(graph, model.encoder(), input);
  const GraphValue features{graph.add_node({"Identity", {encoded.name}, "features"}),
                            encoded.shape};
  const auto embedding = add_head_nodes(graph, model.head(), features, "embedding");
  add_output(graph, embedding);
  add_output(graph, features);
  if (classes) add_class_nodes(graph, *classes, features, embedding);
  return graph;
}

}  // namespace projnce::onnx
