#include "projnce/train/training_checkpoint.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/core/seed.h"
#include "projnce/train/gradient_cache.h"

namespace projnce::train {

namespace {

constexpr const char* kTrainingFormat = "projnce-training-2";
constexpr const char* kGenerators = "random.generators";

nlohmann::json state_to_json(const TrainState& state, int64_t optimizer_steps) {
  return {{"epoch", state.epoch},
          {"batch", state.batch},
          {"step", state.step},
          {"optimizer_steps", optimizer_steps},
          {"nonfinite", state.nonfinite},
          {"skipped", state.skipped},
          {"loss_mean", state.spikes.mean},
          {"loss_variance", state.spikes.variance},
          {"loss_steps", state.spikes.steps},
          {"sums", state.sums}};
}

void read_state(const std::string& text, Trainer& trainer) {
  try {
    const auto json = parse_json(text, "the training state of the checkpoint");
    const auto count = [&](const char* key) { return json_count(json.at(key), key); };
    const auto steps = count("optimizer_steps");
    trainer.state() = {.epoch = count("epoch"),
                       .batch = count("batch"),
                       .step = count("step"),
                       .nonfinite = count("nonfinite"),
                       .skipped = count(json.contains("skipped") ? "skipped" : "passed_over"),
                       .spikes = {.mean = json.at("loss_mean"),
                                  .variance = json.at("loss_variance"),
                                  .steps = count("loss_steps")},
                       .sums = json.at("sums").get<std::map<std::string, double>>()};
    trainer.optimizer().set_steps(steps);
  } catch (const nlohmann::json::exception& error) {
    fail("the checkpoint's training state cannot be read: ", error.what());
  }
}

std::string state_text(const TrainingParts& parts) {
  return state_to_json(parts.trainer.state(), parts.trainer.optimizer().steps()).dump();
}

checkpoint::NamedTensors weight_tensors(const encoder::EmbeddingModel& model,
                                        const loss::Loss& loss) {
  auto tensors = checkpoint::named_state(model, "model.");
  checkpoint::append(tensors, checkpoint::named_state(loss, "loss."));
  return tensors;
}

void broadcast_all(const checkpoint::NamedTensors& tensors, distributed::ProcessGroup& ranks) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : tensors) {
    auto target = tensor;
    ranks.broadcast(target);
  }
}

checkpoint::NamedTensors training_tensors(const TrainingParts& parts) {
  auto tensors = weight_tensors(parts.model, parts.loss);
  for (const auto& [name, tensor] : parts.trainer.optimizer().state()) {
    tensors.emplace_back("optimizer." + name, tensor);
  }
  return tensors;
}

const std::string& metadata(const checkpoint::TensorFile& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) fail(file.origin, " has no metadata entry '", key, "'");
  return found->second;
}

/// Returns the random generator states, one row per rank.
const torch::Tensor& generators_of(const checkpoint::TensorFile& file) {
  for (const auto& [name, tensor] : file.tensors) {
    if (name == kGenerators && tensor.dim() == 2 && tensor.scalar_type() == torch::kUInt8) {
      return tensor;
    }
  }
  fail(file.origin, " has no random generator states (", kGenerators, ")");
}

checkpoint::TensorFile without_generators(checkpoint::TensorFile file) {
  std::erase_if(file.tensors, [](const auto& item) { return item.first == kGenerators; });
  return file;
}

}  // namespace

checkpoint::TensorFile collect_training(const TrainingParts& parts,
                                        distributed::ProcessGroup& ranks) {
  checkpoint::TensorFile file;
  file.tensors = training_tensors(parts);
  file.tensors.emplace_back(kGenerators, ranks.all_gather(random_state()));
  file.metadata["format"] = kTrainingFormat;
  file.metadata["state"] = state_text(parts);
  return file;
}

void restore_training(const TrainingParts& parts, const checkpoint::TensorFile& file) {
  if (metadata(file, "format") != kTrainingFormat) {
    fail(file.origin, " has format '", metadata(file, "format"), "', expected '", kTrainingFormat,
         "'");
  }
  const std::string state = metadata(file, "state");
  if (generators_of(file).size(1) != random_state().size(0)) {
    fail(file.origin, " has random generator states of ", generators_of(file).size(1),
         " bytes, expected ", random_state().size(0),
         "; it was written by another version of LibTorch");
  }
  checkpoint::restore_tensors(training_tensors(parts), without_generators(file));
  read_state(state, parts.trainer);
}

void restore_weights(encoder::EmbeddingModel& model, loss::Loss& loss,
                     checkpoint::TensorFile file) {
  std::erase_if(file.tensors, [](const auto& item) {
    return !item.first.starts_with("model.") && !item.first.starts_with("loss.");
  });
  checkpoint::restore_tensors(weight_tensors(model, loss), file);
}

void broadcast_weights(encoder::EmbeddingModel& model, loss::Loss& loss,
                       distributed::ProcessGroup& ranks) {
  broadcast_all(weight_tensors(model, loss), ranks);
}

void broadcast_training(const TrainingParts& parts, distributed::ProcessGroup& ranks) {
  broadcast_all(training_tensors(parts), ranks);
  read_state(ranks.broadcast_text(state_text(parts)), parts.trainer);
}

torch::Tensor saved_random_state(const checkpoint::TensorFile* file,
                                 distributed::ProcessGroup& ranks) {
  auto all = torch::zeros({ranks.size(), random_state().size(0)}, torch::kUInt8);
  const bool fits =
      ranks.is_rank_zero() && file != nullptr && generators_of(*file).sizes() == all.sizes();
  if (fits) all = generators_of(*file).clone();
  if (ranks.broadcast_text(fits ? "fits" : "") != "fits") return {};
  ranks.broadcast(all);
  return all[ranks.rank()].contiguous();
}

void seed_training(uint64_t seed, const distributed::ProcessGroup& ranks) {
  torch::manual_seed(derive_seed(seed, static_cast<uint64_t>(ranks.rank())));
}

}  // namespace projnce::train
