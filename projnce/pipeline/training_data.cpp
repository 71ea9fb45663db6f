#include "projnce/pipeline/training_data.h"

#include <memory>

#include "projnce/core/progress.h"

namespace projnce {

namespace {

/// A bar for each part of the data that is checked.
std::function<void(int64_t, int64_t)> show_checking() {
  auto bar = std::make_shared<std::unique_ptr<Progress>>();
  return [bar](int64_t done, int64_t total) {
    if (!*bar) *bar = std::make_unique<Progress>("checking samples", total, "samples");
    (*bar)->update(done);
    if (done == total) bar->reset();
  };
}

}  // namespace

TrainingData open_training_data(Table& config, const RunSettings& settings, int threads,
                                OpenContext context) {
  context.seed = static_cast<uint64_t>(settings.seed);
  context.threads = threads;
  context.on_progress = show_checking();
  TrainingData data{.dataset = open_dataset(config.tables["dataset"], context), .input = {}};
  data.input = resolve_input(config.tables["input"], data.train(), threads);
  return data;
}

}  // namespace projnce
