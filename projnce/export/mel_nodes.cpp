#include "projnce/export/mel_nodes.h"

#include <algorithm>

#include "projnce/augment/sound/log_mel.h"
#include "projnce/augment/sound/mel_filters.h"

namespace projnce {

namespace {

constexpr int64_t kStftOpset = 17;  // the first that has the operator

/// The samples at places `begin` to `end` of a sound that goes on as its mirror image.
std::string mirrored_part(OnnxGraph& graph, const std::string& waveform, int64_t samples,
                          const std::string& name, int64_t begin, int64_t end) {
  std::vector<int64_t> places;
  for (int64_t i = begin; i < end; ++i) places.push_back(mirrored_index(i, samples));
  const auto at = graph.add_whole_numbers(name + ".places", {end - begin}, std::move(places));
  return graph.add_node({"Gather", {waveform, at}, name, {{"axis", int64_t{1}}}});
}

/// The sound with half a frame more at its beginning and what the last frame needs at its end.
std::string extended(OnnxGraph& graph, const std::string& waveform, const MelOptions& options) {
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
std::vector<float> filter_matrix(const MelOptions& options) {
  const auto bands = mel_filters(options);
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
std::string powers(OnnxGraph& graph, const std::string& sound, const MelOptions& options) {
  graph.require_opset(kStftOpset);
  const auto exact = cast(graph, sound, OnnxType::kDouble, "mel.double");
  const auto last = graph.add_whole_numbers("mel.last_axis", {1}, {-1});
  const auto column = graph.add_node({"Unsqueeze", {exact, last}, "mel.column"});
  const auto hop = graph.add_whole_numbers("mel.hop", {}, {options.hop});
  const auto window = graph.add_doubles("mel.window", {options.fft}, periodic_hann(options.fft));
  const auto size = graph.add_whole_numbers("mel.fft", {}, {options.fft});
  const auto spectra = graph.add_node(
      {"STFT", {column, hop, window, size}, "mel.spectra", {{"onesided", int64_t{1}}}});
  const auto squares = graph.add_node({"Mul", {spectra, spectra}, "mel.squares"});
  const auto sums =
      graph.add_node({"ReduceSum", {squares, last}, "mel.powers", {{"keepdims", int64_t{0}}}});
  return cast(graph, sums, OnnxType::kFloat, "mel.single");
}

}  // namespace

std::string add_log_mel_nodes(OnnxGraph& graph, const std::string& waveform,
                              const MelOptions& options) {
  const auto power = powers(graph, extended(graph, waveform, options), options);
  const auto filters =
      graph.add_floats("mel.filters", {options.fft / 2 + 1, options.mels}, filter_matrix(options));
  const auto floor = graph.add_floats("mel.floor", {}, {static_cast<float>(kLogMelFloor)});
  const auto bands = graph.add_node({"MatMul", {power, filters}, "mel.bands"});
  const auto above = graph.add_node({"Add", {bands, floor}, "mel.above_floor"});
  const auto logarithm = graph.add_node({"Log", {above}, "mel.logarithm"});
  return graph.add_node(
      {"Transpose", {logarithm}, "mel.spectrogram", {{"perm", std::vector<int64_t>{0, 2, 1}}}});
}

}  // namespace projnce
