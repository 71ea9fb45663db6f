#include "projnce/pipeline/trained_model.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "projnce/checkpoint/module_state.h"
#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/table_writer.h"
#include "projnce/core/toml.h"
#include "projnce/pipeline/array_files.h"
#include "projnce/pipeline/readout_file.h"
#include "projnce/pipeline/run_evaluation.h"

namespace projnce {

namespace {

constexpr const char* kEncoderFormat = "projnce-encoder-1";
constexpr const char* kCentroids = "class_centroids";

/// The encoder's tensors keep their plain names, which are torchvision's; the rest is prefixed.
NamedTensors model_tensors(const TrainedModel& trained) {
  auto tensors = named_state(trained.model->encoder(), "");
  append(tensors, named_state(trained.model->head(), "head."));
  append(tensors, named_state(*trained.loss, "loss."));
  tensors.emplace_back(kCentroids, trained.class_vectors);
  return tensors;
}

/// A number out of the metadata; files of older versions do not have it.
int64_t read_count(const TensorFile& file, const std::string& key, int64_t otherwise) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) return otherwise;
  int64_t count = 0;
  const auto& text = found->second;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), count);
  if (end.ec != std::errc() || count < 1)
    fail("the encoder's ", key, " = '", text, "' is no count");
  return count;
}

}  // namespace

void list_fields(ModelConfig& config, FieldVisitor& fields) {
  fields.section("encoder", config.encoder)
      .section("input", config.input)
      .section("loss", config.loss);
}

void save_trained_model(const std::filesystem::path& path, const TrainedModel& trained) {
  TensorFile file;
  file.tensors = model_tensors(trained);
  file.metadata["format"] = kEncoderFormat;
  file.metadata["config"] = to_toml(to_table(trained.config));
  file.metadata["train_classes"] = std::to_string(trained.train_classes);
  file.metadata["class_names"] = nlohmann::json(trained.class_names).dump();
  write_readout(trained, file);
  save_tensors(path, file);
}

void require_trained(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return;
  fail(Hint{"training writes it at its end; finish it with `projnce train --resume --out RUN`"},
       "there is no trained encoder at ", path.string());
}

TrainedModel load_trained_model(const std::filesystem::path& path) {
  require_trained(path);
  auto file = load_tensors(path);
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kEncoderFormat) {
    fail(path.string(), " is not an encoder that projnce saved");
  }
  TrainedModel trained;
  trained.config = read_options<ModelConfig>(
      parse_toml(file.metadata.at("config"), path.filename().string()), "");
  trained.class_names =
      nlohmann::json::parse(file.metadata.at("class_names")).get<std::vector<std::string>>();
  trained.input = input_options(trained.config.input);
  trained.model = make_model(trained.config.encoder, trained.input.shape());
  const auto classes = static_cast<int64_t>(trained.class_names.size());
  trained.train_classes = read_count(file, "train_classes", classes);
  trained.loss = make_loss(trained.config.loss,
                           {.num_classes = trained.train_classes,
                            .embedding_dim = trained.model->embedding_dim(),
                            .feature_dim = trained.model->feature_dim()},
                           read_matrix);
  trained.class_vectors = torch::zeros({classes, trained.model->embedding_dim()});
  const auto readout = take_readout_tensors(file);
  restore_tensors(model_tensors(trained), file);
  trained.model->eval();
  read_readout(file, readout, trained);
  return trained;
}

JudgedSamples judged_samples(const TrainedModel& trained, EmbeddedSet set) {
  JudgedSamples samples;
  samples.test = std::move(set);
  samples.num_classes = static_cast<int64_t>(trained.class_names.size());
  samples.class_vectors = trained.class_vectors;
  samples.temperature = loss_temperature(trained.config.loss);
  samples.probe = trained.readout.probe;
  samples.known.embeddings = trained.readout.known_embeddings;
  samples.known.labels = trained.readout.known_labels;
  add_learned_classes(samples, *trained.loss);
  return samples;
}

torch::Tensor readout_scores(const TrainedModel& trained, const EmbeddedSet& set) {
  return protocol_scores(judged_samples(trained, set), trained.readout.protocol,
                         trained.readout.knn);
}

}  // namespace projnce
