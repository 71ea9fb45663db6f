#include "projnce/inference/export_run.h"

#include <torch/autograd.h>
#include <torch/types.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/core/error.h"
#include "projnce/core/version.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/onnx/onnx_model.h"
#include "projnce/projection/class_groups.h"

namespace projnce::inference {

namespace {

using Metadata = std::map<std::string, std::string>;

/// Metadata that makes the exported file self-contained; lists are JSON.
Metadata model_metadata(const TrainedModel& trained) {
  const auto& input = trained.input;
  Metadata metadata = {{"projnce_version", kVersion},
                       {"class_names", nlohmann::json(trained.class_names).dump()},
                       {"mean", nlohmann::json(input.mean).dump()},
                       {"std", nlohmann::json(input.std).dump()},
                       {"readout", eval::protocol_name(trained.readout.protocol)}};
  if (input.kind == SampleKind::kImage) {
    metadata["image_size"] = std::to_string(input.image_size);
    metadata["channels"] = std::to_string(input.channels);
  } else if (input.kind == SampleKind::kSound) {
    metadata["rate"] = std::to_string(input.mel.rate);
    metadata["samples"] = std::to_string(input.mel.samples());
  } else {
    metadata["vector_size"] = std::to_string(input.vector_size);
  }
  return metadata;
}

/// Linear classifier trained by the loss, if any: its value at zero is the bias, its gradient the
/// weights.
std::optional<onnx::ClassScores> learned_classifier(const TrainedModel& trained) {
  const auto classes = static_cast<int64_t>(trained.class_names.size());
  const auto zero = torch::zeros({1, trained.model->feature_dim()}, torch::requires_grad());
  const auto logits = trained.loss->logits(zero);
  if (!logits.defined() || logits.size(1) != classes) return std::nullopt;
  std::vector<torch::Tensor> rows;
  for (int64_t c = 0; c < classes; ++c) {
    const bool last = c + 1 == classes;
    rows.push_back(torch::autograd::grad({logits[0][c]}, {zero}, {}, /*retain_graph=*/!last)[0]);
  }
  return onnx::ClassScores{onnx::ClassScores::Of::kFeatures, torch::cat(rows),
                           logits.detach().flatten().clone()};
}

onnx::ClassScores vector_scores(const torch::Tensor& vectors) {
  const auto absent = vectors.isnan().any(/*dim=*/1);
  return {onnx::ClassScores::Of::kEmbeddings, projection::unit_rows(torch::nan_to_num(vectors)),
          torch::zeros({vectors.size(0)})
              .masked_fill(absent, -std::numeric_limits<double>::infinity())};
}

/// Linear probe with its standardization folded into weights and bias.
onnx::ClassScores probe_scores(const eval::LinearProbe& probe) {
  const auto weight = probe.weights.to(torch::kFloat64) / probe.scale.to(torch::kFloat64);
  const auto bias = probe.bias.to(torch::kFloat64) - weight.mv(probe.mean.to(torch::kFloat64));
  return {onnx::ClassScores::Of::kFeatures, weight.to(torch::kFloat32), bias.to(torch::kFloat32)};
}

/// Class scores of the readout. Throws if an ONNX graph cannot represent it.
onnx::ClassScores readout_graph(const TrainedModel& trained) {
  switch (trained.readout.protocol) {
    case eval::Protocol::kLogits:
      if (auto classifier = learned_classifier(trained)) return *classifier;
      break;
    case eval::Protocol::kProjection:
      return vector_scores(
          eval::mask_absent_classes(trained.loss->class_vectors().detach(), trained.class_vectors));
    case eval::Protocol::kProbe:
      return probe_scores(trained.readout.probe);
    case eval::Protocol::kKnn:
      fail(Hint{"export without --classes, or train with eval.readout = 'nearest-centroid' or "
                "'probe'"},
           "the readout of this run is k-NN over its training samples, which cannot be exported to "
           "ONNX");
    case eval::Protocol::kNearestCentroid:
      break;
  }
  return vector_scores(trained.class_vectors);
}

onnx::ClassScores class_scores(const TrainedModel& trained) {
  auto scores = readout_graph(trained);
  scores.temperature = trained.readout.temperature;
  return scores;
}

ExportedModel export_onnx(const TrainedModel& trained, const ExportRequest& request) {
  std::optional<onnx::ClassScores> classes;
  if (request.classes) classes = class_scores(trained);
  auto graph = onnx::make_onnx_graph(*trained.model, trained.input.format(), classes);
  graph.set_metadata(model_metadata(trained));
  graph.write(request.onnx);
  return {.file = request.onnx, .inputs = graph.inputs(), .outputs = graph.outputs()};
}

ExportedWeights export_weights(const TrainedModel& trained, const std::filesystem::path& path) {
  checkpoint::TensorFile file;
  file.tensors = checkpoint::named_state(trained.model->encoder(), "");
  file.metadata = model_metadata(trained);
  file.metadata["format"] = "pt";
  if (file.tensors.empty()) {
    fail(Hint{"use --onnx to export the projection head, the only trained part"},
         "the encoder of this run has no weights, nothing to write to ", path.string());
  }
  checkpoint::save_tensors(path, file, io::Checksum::kNone);
  ExportedWeights written{.file = path, .tensors = static_cast<int64_t>(file.tensors.size())};
  for (const auto& [name, tensor] : file.tensors) written.numbers += tensor.numel();
  return written;
}

}  // namespace

ExportResult export_run(const ExportRequest& request) {
  if (!request.onnx.empty() &&
      request.onnx.lexically_normal() == request.safetensors.lexically_normal()) {
    fail("--onnx and --safetensors name the same file, ", request.onnx.string());
  }
  const auto trained = load_trained_model(io::find_run(request.run).encoder());
  ExportResult result;
  if (!request.onnx.empty()) result.onnx = export_onnx(trained, request);
  if (!request.safetensors.empty()) {
    result.safetensors = export_weights(trained, request.safetensors);
  }
  return result;
}

}  // namespace projnce::inference
