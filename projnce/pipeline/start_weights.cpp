#include "projnce/pipeline/start_weights.h"

#include <array>
#include <filesystem>

#include "projnce/checkpoint/initial_weights.h"
#include "projnce/checkpoint/module_state.h"
#include "projnce/core/error.h"
#include "projnce/pipeline/trained_model.h"
#include "projnce/report/run_paths.h"
#include "projnce/train/train_options.h"

namespace projnce {

namespace {

constexpr std::array kPickleEndings = {".bin", ".ckpt", ".pkl", ".pt", ".pth"};

void refuse_pickles(const std::filesystem::path& file) {
  for (const auto* ending : kPickleEndings) {
    if (file.extension() != ending) continue;
    fail(Hint{"in Python, projnce.save_weights(state_dict, 'weights.safetensors') makes one of it"},
         file.string(),
         " is named as a pickle, which is never loaded; expected a safetensors file");
  }
}

/// Learned vectors alone: what the configuration gives to the loss stays as it is given.
NamedTensors learned_state(const Loss& loss) {
  NamedTensors state;
  for (const auto& item : loss.named_parameters()) {
    state.emplace_back("loss." + item.key(), item.value().detach());
  }
  return state;
}

}  // namespace

std::optional<TensorFile> read_start_weights(Table config) {
  const std::filesystem::path init = read_train_options(config.tables["train"]).init;
  if (init.empty()) return {};
  if (holds_run(init)) {
    require_trained(RunPaths{init}.encoder());
    return load_tensors(RunPaths{init}.encoder());
  }
  refuse_pickles(init);
  return load_tensors(init, Integrity::kOptional);
}

void start_from(const TensorFile& weights, EmbeddingModel& model, const Loss& loss,
                const Logger& logger) {
  const WeightTargets targets{.encoder = named_state(model.encoder(), ""),
                              .head = named_state(model.head(), "head."),
                              .loss = learned_state(loss)};
  const auto taken = take_initial_weights(targets, weights);
  logger->info("starts from {}: {}", weights.origin, describe(taken, targets));
}

}  // namespace projnce
