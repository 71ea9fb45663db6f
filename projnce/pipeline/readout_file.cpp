#include "projnce/pipeline/readout_file.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr const char* kReadoutKey = "readout";
constexpr const char* kReadoutPrefix = "readout.";

/// Stored tensors by name, checked.
class ReadoutTensors {
 public:
  ReadoutTensors(const NamedTensors& tensors, const std::string& origin)
      : tensors_(tensors), origin_(origin) {}

  /// A side of -1 may have any length above 0.
  torch::Tensor get(const std::string& name, const std::vector<int64_t>& sides,
                    torch::ScalarType type = torch::kFloat32) const {
    for (const auto& [stored, tensor] : tensors_) {
      if (stored != kReadoutPrefix + name) continue;
      bool fits = tensor.scalar_type() == type &&
                  tensor.dim() == static_cast<int64_t>(sides.size()) && tensor.numel() > 0;
      for (size_t i = 0; fits && i < sides.size(); ++i) {
        fits = sides[i] < 0 || tensor.size(static_cast<int64_t>(i)) == sides[i];
      }
      if (!fits) fail(origin_, " has a readout that does not fit the model: ", stored);
      return tensor;
    }
    fail(origin_, " lacks a tensor of its readout, ", kReadoutPrefix, name);
  }

 private:
  const NamedTensors& tensors_;
  const std::string& origin_;
};

LinearProbe read_probe(const ReadoutTensors& tensors, int64_t classes, int64_t features) {
  return {.mean = tensors.get("probe_mean", {features}),
          .scale = tensors.get("probe_scale", {features}),
          .weights = tensors.get("probe_weights", {classes, features}),
          .bias = tensors.get("probe_bias", {classes})};
}

void read_known(const ReadoutTensors& tensors, const nlohmann::json& json,
                const std::string& origin, TrainedModel& trained) {
  auto& readout = trained.readout;
  readout.known_embeddings = tensors.get("knn_embeddings", {-1, trained.model->embedding_dim()});
  const int64_t rows = readout.known_embeddings.size(0);
  readout.known_labels = tensors.get("knn_labels", {rows}, torch::kLong);
  readout.knn = {.neighbors = json.at("neighbors"), .temperature = json.at("knn_temperature")};
  const auto classes = static_cast<int64_t>(trained.class_names.size());
  const bool labels_fit = readout.known_labels.min().item<int64_t>() >= 0 &&
                          readout.known_labels.max().item<int64_t>() < classes;
  if (!labels_fit || readout.knn.neighbors < 1 || readout.knn.neighbors > rows ||
      !(readout.knn.temperature > 0)) {
    fail(origin, " has a k-NN readout whose numbers are out of range");
  }
}

bool has_own_logits(const TrainedModel& trained) {
  const torch::NoGradGuard no_gradient;
  const auto logits = trained.loss->logits(torch::zeros({1, trained.model->feature_dim()}));
  return logits.defined() && logits.size(1) == static_cast<int64_t>(trained.class_names.size());
}

bool has_own_vectors(const TrainedModel& trained) {
  const auto vectors = trained.loss->class_vectors();
  return vectors.defined() && vectors.size(0) == static_cast<int64_t>(trained.class_names.size());
}

void check_readout_applies(const TrainedModel& trained, const std::string& origin) {
  const auto protocol = trained.readout.protocol;
  if ((protocol == Protocol::kLogits && !has_own_logits(trained)) ||
      (protocol == Protocol::kProjection && !has_own_vectors(trained))) {
    fail(origin, " has the readout '", protocol_name(protocol),
         "', which its loss does not provide");
  }
}

void parse_readout(const nlohmann::json& json, const NamedTensors& stored,
                   const std::string& origin, TrainedModel& trained) {
  auto& readout = trained.readout;
  readout.protocol = protocol_by_name(json.at("protocol").get<std::string>());
  readout.temperature = json.at("temperature").get<double>();
  if (!std::isfinite(readout.temperature) || readout.temperature < 0) {
    fail(origin, " has a readout whose temperature is ", readout.temperature,
         ", expected 0 or more");
  }
  trained.epoch = json.at("epoch").get<int64_t>();
  trained.rule = json.at("rule") == epoch_rule_name(EpochRule::kLast) ? EpochRule::kLast
                                                                      : EpochRule::kBestValidation;
  const ReadoutTensors tensors(stored, origin);
  const auto classes = static_cast<int64_t>(trained.class_names.size());
  if (readout.protocol == Protocol::kProbe) {
    readout.probe = read_probe(tensors, classes, trained.model->feature_dim());
  }
  if (readout.protocol == Protocol::kKnn) read_known(tensors, json, origin, trained);
  check_readout_applies(trained, origin);
}

}  // namespace

void write_readout(const TrainedModel& trained, TensorFile& file) {
  const auto& readout = trained.readout;
  nlohmann::ordered_json json{{"protocol", protocol_name(readout.protocol)},
                              {"temperature", readout.temperature},
                              {"epoch", trained.epoch},
                              {"rule", epoch_rule_name(trained.rule)}};
  const auto add = [&](const char* name, const torch::Tensor& tensor) {
    file.tensors.emplace_back(kReadoutPrefix + std::string(name), tensor);
  };
  if (readout.protocol == Protocol::kProbe) {
    add("probe_mean", readout.probe.mean);
    add("probe_scale", readout.probe.scale);
    add("probe_weights", readout.probe.weights);
    add("probe_bias", readout.probe.bias);
  }
  if (readout.protocol == Protocol::kKnn) {
    json["neighbors"] = readout.knn.neighbors;
    json["knn_temperature"] = readout.knn.temperature;
    add("knn_embeddings", readout.known_embeddings);
    add("knn_labels", readout.known_labels);
  }
  file.metadata[kReadoutKey] = json.dump();
}

NamedTensors take_readout_tensors(TensorFile& file) {
  NamedTensors taken;
  std::erase_if(file.tensors, [&](const auto& item) {
    if (!item.first.starts_with(kReadoutPrefix)) return false;
    taken.push_back(item);
    return true;
  });
  return taken;
}

void read_readout(const TensorFile& file, const NamedTensors& tensors, TrainedModel& trained) {
  const auto found = file.metadata.find(kReadoutKey);
  if (found == file.metadata.end()) {
    trained.readout.protocol =
        default_readout(has_own_logits(trained), /*has_learned_vectors=*/false);
    return;
  }
  try {
    parse_readout(nlohmann::json::parse(found->second), tensors, file.origin, trained);
  } catch (const nlohmann::json::exception& error) {
    fail(file.origin, " has a readout that cannot be read: ", error.what());
  }
}

}  // namespace projnce
