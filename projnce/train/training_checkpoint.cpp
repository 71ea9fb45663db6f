#include "projnce/train/training_checkpoint.h"

#include <nlohmann/json.hpp>

#include "projnce/checkpoint/module_state.h"
#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr const char* kTrainingFormat = "projnce-training-1";

nlohmann::json to_json(const TrainState& state) {
  return {
      {"epoch", state.epoch}, {"batch", state.batch}, {"step", state.step}, {"sums", state.sums}};
}

TrainState state_from_json(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {.epoch = json.at("epoch"),
            .batch = json.at("batch"),
            .step = json.at("step"),
            .sums = json.at("sums").get<std::map<std::string, double>>()};
  } catch (const nlohmann::json::exception& error) {
    fail("the checkpoint's training state cannot be read: ", error.what());
  }
}

NamedTensors training_tensors(const EmbeddingModel& model, const ContrastiveLoss& loss,
                              const Trainer& trainer) {
  auto tensors = named_state(model, "model.");
  append(tensors, named_state(loss, "loss."));
  for (const auto& [name, tensor] : trainer.optimizer().state()) {
    tensors.emplace_back("optimizer." + name, tensor);
  }
  return tensors;
}

const std::string& metadata(const TensorFile& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) fail(file.origin, " lacks the entry '", key, "'");
  return found->second;
}

}  // namespace

TensorFile collect_training(const EmbeddingModel& model, const ContrastiveLoss& loss,
                            const Trainer& trainer) {
  TensorFile file;
  file.tensors = training_tensors(model, loss, trainer);
  file.metadata["format"] = kTrainingFormat;
  file.metadata["optimizer_steps"] = std::to_string(trainer.optimizer().steps());
  file.metadata["state"] = to_json(trainer.state()).dump();
  return file;
}

void restore_training(EmbeddingModel& model, ContrastiveLoss& loss, Trainer& trainer,
                      const TensorFile& file) {
  if (metadata(file, "format") != kTrainingFormat) {
    fail(file.origin, " has format '", metadata(file, "format"), "', expected '", kTrainingFormat,
         "'");
  }
  const auto state = state_from_json(metadata(file, "state"));
  const auto steps = std::stoll(metadata(file, "optimizer_steps"));
  restore_tensors(training_tensors(model, loss, trainer), file);
  trainer.optimizer().set_steps(steps);
  trainer.state() = state;
}

}  // namespace projnce
