#include "projnce/export/input_nodes.h"

#include "projnce/export/mel_nodes.h"

namespace projnce {

namespace {

/// x * scale + shift, as loaders standardise; one of each, or one for each channel.
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

}  // namespace

GraphValue add_input_nodes(OnnxGraph& graph, const InputFormat& format) {
  const std::vector<int64_t> sides = {format.channels(), format.height(), format.width()};
  if (format.kind == SampleKind::kImage) {
    graph.add_input({"image", OnnxType::kFloat, sides});
    return {standardized(graph, "image", format.picture.mean, format.picture.std), sides};
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

}  // namespace projnce
