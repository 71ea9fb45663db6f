#include "projnce/pipeline/initial_samples.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "projnce/core/error.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

std::shared_ptr<const TrainedOn> trained_on(const StoredSplit& split) {
  return std::make_shared<TrainedOn>(
      TrainedOn{split.rule, {split.train.ids.begin(), split.train.ids.end()}});
}

/// The directory of the run that the weights belong to; empty if they are not a run's.
fs::path run_of_weights(const fs::path& init) {
  if (holds_run(init)) return init;
  const auto folder = init.has_parent_path() ? init.parent_path() : fs::path(".");
  return holds_run(folder) ? folder : fs::path();
}

bool records_split(const RunPaths& run) {
  std::error_code ignored;
  return fs::exists(run.split(), ignored);
}

/// The run that the weights are of; without a root if there is none.
RunPaths initial_run(const fs::path& init) {
  return {init.empty() ? fs::path() : run_of_weights(init)};
}

}  // namespace

InitialSamples read_initial_samples(const fs::path& init) {
  const auto run = initial_run(init);
  if (run.root.empty()) return {};
  InitialSamples initial{.run = run.root.string()};
  if (!records_split(run)) {
    initial.unknown = true;
    return initial;
  }
  const auto split = read_split(run.split());
  initial.trained_on = trained_on(split);
  initial.seen = trained_ids(split);
  return initial;
}

InitialSamples read_resumed_samples(const RunPaths& run, const fs::path& init) {
  if (!records_split(run)) return read_initial_samples(init);
  auto own = read_split(run.split());
  return {.run = initial_run(init).root.string(),
          .trained_on = trained_on(own),
          .seen = std::move(own.seen)};
}

std::shared_ptr<const TrainedOn> share_trained_on(const InitialSamples& initial, Ranks& ranks) {
  if (ranks.size() == 1) return initial.trained_on;
  std::string text;  // the rule, an end of line, the ids as they lie in memory
  if (initial.trained_on) {
    text = initial.trained_on->split_rule + "\n";
    for (const auto& id : initial.trained_on->ids) {
      text.append(reinterpret_cast<const char*>(&id), sizeof id);
    }
  }
  text = ranks.broadcast_text(text);
  if (text.empty()) return nullptr;
  const size_t end = text.find('\n');
  TrainedOn shared{.split_rule = text.substr(0, end), .ids = {}};
  for (size_t at = end + 1; at + sizeof(SampleId) <= text.size(); at += sizeof(SampleId)) {
    SampleId id;
    std::memcpy(&id, text.data() + at, sizeof id);
    shared.ids.insert(id);
  }
  return std::make_shared<TrainedOn>(std::move(shared));
}

int64_t check_seen_samples(const InitialSamples& initial, const StoredSplit& split,
                           const Logger& logger) {
  if (initial.unknown) {
    logger->warn(
        "{} does not record which samples it was trained on: if test samples are among them, the "
        "accuracy of this run is too high",
        initial.run);
    return 0;
  }
  const auto& ids = split.test.ids;
  const auto count = std::count_if(ids.begin(), ids.end(), [&](const SampleId& id) {
    return std::binary_search(initial.seen.begin(), initial.seen.end(), id);
  });
  if (count > 0) {
    logger->warn(
        "{} of {} test samples were in the training data of {}, whose weights this run starts "
        "from: its test accuracy is too high. Train without --init to measure it",
        count, ids.size(), initial.run);
  }
  return count;
}

}  // namespace projnce
