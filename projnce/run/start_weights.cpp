#include "projnce/run/start_weights.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "projnce/checkpoint/initial_weights.h"
#include "projnce/checkpoint/tensor_file.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/run_directory.h"

namespace projnce::run {

namespace {

namespace fs = std::filesystem;

std::shared_ptr<const dataset::TrainedOn> trained_on(const dataset::StoredSplit& split) {
  return std::make_shared<dataset::TrainedOn>(
      dataset::TrainedOn{split.rule, {split.train.ids.begin(), split.train.ids.end()}});
}

/// Directory of the run that the weights belong to; empty if there is none.
fs::path run_of_weights(const fs::path& init) {
  if (io::contains_run(init)) return init;
  const auto folder = init.has_parent_path() ? init.parent_path() : fs::path(".");
  return io::contains_run(folder) ? folder : fs::path();
}

bool has_stored_split(const io::RunPaths& run) {
  std::error_code ignored;
  return fs::exists(run.split(), ignored);
}

/// Run that the weights belong to; the root is empty if there is none.
io::RunPaths initial_run(const fs::path& init) {
  return {init.empty() ? fs::path() : run_of_weights(init)};
}

}  // namespace

InitialSamples read_initial_samples(const fs::path& init) {
  const auto run = initial_run(init);
  if (run.root.empty()) return {};
  InitialSamples initial{.run = run.root.string()};
  if (!has_stored_split(run)) {
    initial.unknown = true;
    return initial;
  }
  const auto split = dataset::read_split(run.split());
  initial.trained_on = trained_on(split);
  initial.seen = dataset::trained_ids(split);
  return initial;
}

InitialSamples read_resumed_samples(const io::RunPaths& run, const fs::path& init) {
  if (!has_stored_split(run)) return read_initial_samples(init);
  auto own = dataset::read_split(run.split());
  return {.run = initial_run(init).root.string(),
          .trained_on = trained_on(own),
          .seen = std::move(own.seen)};
}

std::shared_ptr<const dataset::TrainedOn> share_trained_on(const InitialSamples& initial,
                                                           distributed::ProcessGroup& ranks) {
  if (ranks.size() == 1) return initial.trained_on;
  std::string text;  // rule, newline, raw bytes of the ids
  if (initial.trained_on) {
    text = initial.trained_on->split_rule + "\n";
    for (const auto& id : initial.trained_on->ids) {
      text.append(reinterpret_cast<const char*>(&id), sizeof id);
    }
  }
  text = ranks.broadcast_text(text);
  if (text.empty()) return nullptr;
  const size_t end = text.find('\n');
  dataset::TrainedOn shared{.split_rule = text.substr(0, end), .ids = {}};
  for (size_t at = end + 1; at + sizeof(dataset::SampleId) <= text.size();
       at += sizeof(dataset::SampleId)) {
    dataset::SampleId id;
    std::memcpy(&id, text.data() + at, sizeof id);
    shared.ids.insert(id);
  }
  return std::make_shared<dataset::TrainedOn>(std::move(shared));
}

int64_t check_seen_samples(const InitialSamples& initial, const dataset::StoredSplit& split,
                           const Logger& logger) {
  if (initial.unknown) {
    logger->warn(
        "{} does not record its training samples: if they include test samples of this run, its "
        "test "
        "accuracy is overestimated",
        initial.run);
    return 0;
  }
  const auto& ids = split.test.ids;
  const auto count = std::count_if(ids.begin(), ids.end(), [&](const dataset::SampleId& id) {
    return std::binary_search(initial.seen.begin(), initial.seen.end(), id);
  });
  if (count > 0) {
    logger->warn(
        "{} of {} {} in the training data of {}, which provides the initial weights: test accuracy "
        "is overestimated. Train without --init to measure it",
        count, counted(ids.size(), "test sample"), count == 1 ? "is" : "are", initial.run);
  }
  return count;
}

namespace {

constexpr std::array kPickleExtensions = {".bin", ".ckpt", ".pkl", ".pt", ".pth"};

void reject_pickles(const std::filesystem::path& file) {
  for (const auto* extension_name : kPickleExtensions) {
    if (file.extension() != extension_name) continue;
    fail(Hint{"convert it in Python: projnce.save_weights(state_dict, 'weights.safetensors')"},
         file.string(),
         " has the extension of a pickle file, which is never loaded; expected a safetensors file");
  }
}

/// Parameters of the loss only: buffers keep the values from the configuration.
checkpoint::NamedTensors learned_state(const loss::Loss& loss) {
  checkpoint::NamedTensors state;
  for (const auto& item : loss.named_parameters()) {
    state.emplace_back("loss." + item.key(), item.value().detach());
  }
  return state;
}

}  // namespace

std::optional<checkpoint::TensorFile> read_start_weights(const std::filesystem::path& init) {
  if (init.empty()) return {};
  if (io::contains_run(init)) {
    inference::require_trained(io::RunPaths{init}.encoder());
    return checkpoint::load_tensors(io::RunPaths{init}.encoder());
  }
  reject_pickles(init);
  return checkpoint::load_tensors(init, io::Integrity::kOptional);
}

void start_from(const checkpoint::TensorFile& weights, encoder::EmbeddingModel& model,
                const loss::Loss& loss, const Logger& logger) {
  const checkpoint::WeightTargets targets{.encoder = checkpoint::named_state(model.encoder(), ""),
                                          .head = checkpoint::named_state(model.head(), "head."),
                                          .loss = learned_state(loss)};
  const auto loaded = checkpoint::load_initial_weights(targets, weights);
  logger->info("initial weights from {}: {}", weights.origin,
               checkpoint::describe(loaded, targets));
}

}  // namespace projnce::run
