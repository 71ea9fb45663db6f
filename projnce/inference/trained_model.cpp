#include "projnce/inference/trained_model.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/config/run_request.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/core/progress.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/table_writer.h"
#include "projnce/core/threads.h"
#include "projnce/core/toml.h"
#include "projnce/data/run_data_path.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/run_evaluation.h"

namespace projnce::inference {

namespace {

constexpr const char* kReadoutKey = "readout";

constexpr const char* kReadoutPrefix = "readout.";

/// Looks up stored tensors by name and checks type and shape.
class ReadoutTensors {
 public:
  ReadoutTensors(const checkpoint::NamedTensors& tensors, const std::string& origin)
      : tensors_(tensors), origin_(origin) {}

  /// A size of -1 matches any positive size.
  torch::Tensor get(const std::string& name, const std::vector<int64_t>& shape,
                    torch::ScalarType type = torch::kFloat32) const {
    for (const auto& [stored, tensor] : tensors_) {
      if (stored != kReadoutPrefix + name) continue;
      bool fits = tensor.scalar_type() == type &&
                  tensor.dim() == static_cast<int64_t>(shape.size()) && tensor.numel() > 0;
      for (size_t i = 0; fits && i < shape.size(); ++i) {
        fits = shape[i] < 0 || tensor.size(static_cast<int64_t>(i)) == shape[i];
      }
      if (!fits) fail(origin_, " has a readout that does not fit the model: ", stored);
      return tensor;
    }
    fail(origin_, " lacks a tensor of its readout: ", kReadoutPrefix, name);
  }

 private:
  const checkpoint::NamedTensors& tensors_;
  const std::string& origin_;
};

eval::LinearProbe read_probe(const ReadoutTensors& tensors, int64_t classes, int64_t features) {
  return {.mean = tensors.get("probe_mean", {features}),
          .scale = tensors.get("probe_scale", {features}),
          .weights = tensors.get("probe_weights", {classes, features}),
          .bias = tensors.get("probe_bias", {classes})};
}

void read_knn(const ReadoutTensors& tensors, const nlohmann::json& json, const std::string& origin,
              TrainedModel& trained) {
  auto& readout = trained.readout;
  readout.reference_embeddings =
      tensors.get("knn_embeddings", {-1, trained.model->embedding_dim()});
  const int64_t rows = readout.reference_embeddings.size(0);
  readout.reference_labels = tensors.get("knn_labels", {rows}, torch::kLong);
  readout.knn = {.neighbors = json_count(json.at("neighbors"), origin),
                 .temperature = json.at("knn_temperature")};
  const auto classes = static_cast<int64_t>(trained.class_names.size());
  const bool labels_fit = readout.reference_labels.min().item<int64_t>() >= 0 &&
                          readout.reference_labels.max().item<int64_t>() < classes;
  if (!labels_fit || readout.knn.neighbors < 1 || readout.knn.neighbors > rows ||
      !(readout.knn.temperature > 0)) {
    fail(origin, " has a k-NN readout with values out of range");
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
  if ((protocol == eval::Protocol::kLogits && !has_own_logits(trained)) ||
      (protocol == eval::Protocol::kProjection && !has_own_vectors(trained))) {
    fail(origin, " has the readout '", eval::protocol_name(protocol),
         "', which its loss does not provide");
  }
}

void parse_readout(const nlohmann::json& json, const checkpoint::NamedTensors& stored,
                   const std::string& origin, TrainedModel& trained) {
  auto& readout = trained.readout;
  readout.protocol = eval::protocol_by_name(json.at("protocol").get<std::string>());
  readout.temperature = json.at("temperature").get<double>();
  if (!std::isfinite(readout.temperature) || readout.temperature < 0) {
    fail(origin, " has a readout with temperature ", readout.temperature, ", expected 0 or more");
  }
  trained.epoch = json_count(json.at("epoch"), origin);
  trained.rule = json.at("rule") == epoch_rule_name(EpochRule::kLast) ? EpochRule::kLast
                                                                      : EpochRule::kBestValidation;
  const ReadoutTensors tensors(stored, origin);
  const auto classes = static_cast<int64_t>(trained.class_names.size());
  if (readout.protocol == eval::Protocol::kProbe) {
    readout.probe = read_probe(tensors, classes, trained.model->feature_dim());
  }
  if (readout.protocol == eval::Protocol::kKnn) read_knn(tensors, json, origin, trained);
  check_readout_applies(trained, origin);
}

/// Adds the readout, the epoch and its rule to `file`: the metadata entry "readout" (JSON) and the
/// tensors "readout.*".
void write_readout(const TrainedModel& trained, checkpoint::TensorFile& file) {
  const auto& readout = trained.readout;
  nlohmann::ordered_json json{{"protocol", eval::protocol_name(readout.protocol)},
                              {"temperature", readout.temperature},
                              {"epoch", trained.epoch},
                              {"rule", epoch_rule_name(trained.rule)}};
  const auto add = [&](const char* name, const torch::Tensor& tensor) {
    file.tensors.emplace_back(kReadoutPrefix + std::string(name), tensor);
  };
  if (readout.protocol == eval::Protocol::kProbe) {
    add("probe_mean", readout.probe.mean);
    add("probe_scale", readout.probe.scale);
    add("probe_weights", readout.probe.weights);
    add("probe_bias", readout.probe.bias);
  }
  if (readout.protocol == eval::Protocol::kKnn) {
    json["neighbors"] = readout.knn.neighbors;
    json["knn_temperature"] = readout.knn.temperature;
    add("knn_embeddings", readout.reference_embeddings);
    add("knn_labels", readout.reference_labels);
  }
  file.metadata[kReadoutKey] = json.dump();
}

/// Removes the tensors "readout.*" from the file and returns them.
checkpoint::NamedTensors take_readout_tensors(checkpoint::TensorFile& file) {
  checkpoint::NamedTensors readout_tensors;
  std::erase_if(file.tensors, [&](const auto& item) {
    if (!item.first.starts_with(kReadoutPrefix)) return false;
    readout_tensors.push_back(item);
    return true;
  });
  return readout_tensors;
}

/// Reads the readout into `trained`, whose model, loss and classes are set. Files of older versions
/// have none: the model then predicts like that version, with the trained classifier or the nearest
/// centroid, without probabilities. Throws if the readout does not fit the model.
void read_readout(const checkpoint::TensorFile& file, const checkpoint::NamedTensors& tensors,
                  TrainedModel& trained) {
  const auto found = file.metadata.find(kReadoutKey);
  if (found == file.metadata.end()) {
    trained.readout.protocol =
        eval::default_readout(has_own_logits(trained), /*has_learned_vectors=*/false);
    return;
  }
  try {
    parse_readout(parse_json(found->second, "the readout of " + file.origin), tensors, file.origin,
                  trained);
  } catch (const nlohmann::json::exception& error) {
    fail(file.origin, " has a malformed readout: ", error.what());
  }
}

constexpr const char* kEncoderFormat = "projnce-encoder-1";

constexpr const char* kCentroids = "class_centroids";

/// Encoder tensors have torchvision's names without a prefix; the others are prefixed.
checkpoint::NamedTensors model_tensors(const TrainedModel& trained) {
  auto tensors = checkpoint::named_state(trained.model->encoder(), "");
  checkpoint::append(tensors, checkpoint::named_state(trained.model->head(), "head."));
  checkpoint::append(tensors, checkpoint::named_state(*trained.loss, "loss."));
  tensors.emplace_back(kCentroids, trained.class_vectors);
  return tensors;
}

/// Reads a count from the metadata. Files of older versions do not have it.
int64_t read_count(const checkpoint::TensorFile& file, const std::string& key,
                   int64_t default_value) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) return default_value;
  int64_t count = 0;
  const auto& text = found->second;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), count);
  if (end.ec != std::errc() || count < 1)
    fail(file.origin, ": ", key, " = '", text, "' is not a positive integer");
  return count;
}

}  // namespace

void list_fields(ModelConfig& config, FieldVisitor& fields) {
  fields.section("encoder", config.encoder)
      .section("input", config.input)
      .section("loss", config.loss);
}

void save_trained_model(const std::filesystem::path& path, const TrainedModel& trained) {
  checkpoint::TensorFile file;
  file.tensors = model_tensors(trained);
  file.metadata["format"] = kEncoderFormat;
  file.metadata["config"] = to_toml(to_table(trained.config));
  file.metadata["train_classes"] = std::to_string(trained.train_classes);
  file.metadata["class_names"] = nlohmann::json(trained.class_names).dump();
  write_readout(trained, file);
  checkpoint::save_tensors(path, file);
}

void require_trained(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return;
  fail(Hint{"finish the training with `projnce train --resume --out RUN`"},
       "no trained encoder at ", path.string(), ": the training has not finished");
}

TrainedModel load_trained_model(const std::filesystem::path& path) {
  require_trained(path);
  auto file = checkpoint::load_tensors(path);
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kEncoderFormat) {
    fail(path.string(), " is not an encoder file of projnce");
  }
  TrainedModel trained;
  trained.config = read_options<ModelConfig>(
      parse_toml(file.metadata.at("config"), path.filename().string()), "");
  trained.class_names =
      parse_json(file.metadata.at("class_names"), path.string()).get<std::vector<std::string>>();
  trained.input = config::input_options(trained.config.input);
  trained.model = encoder::make_model(trained.config.encoder, trained.input.shape());
  const auto classes = static_cast<int64_t>(trained.class_names.size());
  trained.train_classes = read_count(file, "train_classes", classes);
  // A delivered loss is not trained any further: any priors of the right length will do.
  const auto priors = torch::full(
      {trained.train_classes}, 1.0 / static_cast<double>(trained.train_classes), torch::kFloat64);
  trained.loss = loss::make_loss(trained.config.loss,
                                 {.num_classes = trained.train_classes,
                                  .embedding_dim = trained.model->embedding_dim(),
                                  .feature_dim = trained.model->feature_dim(),
                                  .class_priors = priors},
                                 read_matrix);
  trained.class_vectors = torch::zeros({classes, trained.model->embedding_dim()});
  const auto readout = take_readout_tensors(file);
  checkpoint::restore_tensors(model_tensors(trained), file);
  trained.model->eval();
  read_readout(file, readout, trained);
  return trained;
}

EvalInputs eval_inputs(const TrainedModel& trained, EmbeddedSet set) {
  EvalInputs samples;
  samples.test = std::move(set);
  samples.num_classes = static_cast<int64_t>(trained.class_names.size());
  samples.class_vectors = trained.class_vectors;
  samples.temperature = loss_temperature(trained.config.loss);
  samples.probe = trained.readout.probe;
  samples.reference.embeddings = trained.readout.reference_embeddings;
  samples.reference.labels = trained.readout.reference_labels;
  add_learned_classes(samples, *trained.loss);
  return samples;
}

torch::Tensor readout_scores(const TrainedModel& trained, const EmbeddedSet& set) {
  return protocol_scores(eval_inputs(trained, set), trained.readout.protocol, trained.readout.knn);
}

EmbeddedSet embed_samples(const TrainedModel& trained, const dataset::DatasetPtr& samples,
                          const EmbedOptions& options, const Logger& logger) {
  loader::CorruptSampleTracker corrupt_samples(samples->size(), logger);
  auto loading = eval_loader_options(trained.input, options.batch_size, options.threads);
  if (!options.strict) loading.corrupt_samples = &corrupt_samples;
  Progress progress(options.label, samples->size(), "samples");
  return embed_dataset(*trained.model, samples, loading,
                       [&](int64_t rows) { progress.update(rows); });
}

namespace {

EmbeddedSet embed_run_samples(const TrainedRun& run, const dataset::DatasetPtr& part,
                              const char* label, const Logger& logger) {
  return embed_samples(run.trained, part, {label, run.config.eval.batch_size, run.threads}, logger);
}

}  // namespace

TrainedRun open_trained_run(const io::RunPaths& paths, const std::filesystem::path& data_path,
                            const dataset::OpenContext& context) {
  auto trained = load_trained_model(paths.encoder());
  auto config = config::parse_run_config(config::read_stored_settings(paths.config()));
  const auto run_context = data::run_data_context(paths, config, data_path, context);
  const int threads = set_threads(static_cast<int>(config.run.threads));
  auto data = data::open_training_data(config, threads, run_context);
  return {.config = std::move(config),
          .trained = std::move(trained),
          .data = std::move(data),
          .threads = threads};
}

EvalInputs embed_test_split(const TrainedRun& run, const Logger& logger) {
  return eval_inputs(run.trained,
                     embed_run_samples(run, run.data.test_split, "embedding test samples", logger));
}

EmbeddedSet embed_reference_split(const TrainedRun& run, const Logger& logger) {
  return embed_run_samples(run, run.data.reference, "embedding reference samples", logger);
}

}  // namespace projnce::inference
