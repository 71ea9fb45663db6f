#include "projnce/pipeline/trained_run.h"

#include "projnce/core/threads.h"
#include "projnce/pipeline/embed_part.h"
#include "projnce/pipeline/eval_options.h"
#include "projnce/pipeline/run_config.h"
#include "projnce/pipeline/run_data_place.h"
#include "projnce/pipeline/run_evaluation.h"

namespace projnce {

namespace {

EmbeddedSet embed_run_part(const TrainedRun& run, const DatasetPtr& part, const char* label,
                           const Logger& logger) {
  auto eval = run.config.tables.at("eval");
  const auto options = read_eval_options(eval);
  return embed_part(run.trained, part, {label, options.batch_size, run.threads}, logger);
}

}  // namespace

TrainedRun open_trained_run(const RunPaths& paths, const std::filesystem::path& place,
                            const OpenContext& context) {
  auto trained = load_trained_model(paths.encoder());
  auto config = read_stored_config(paths.config());
  const auto run_context = run_data_context(paths, config, place, context);
  const auto settings = read_run_settings(config);
  const int threads = set_threads(static_cast<int>(settings.threads));
  auto data = open_training_data(config, settings, threads, run_context);
  return {.config = std::move(config),
          .trained = std::move(trained),
          .data = std::move(data),
          .threads = threads};
}

JudgedSamples embed_test_part(const TrainedRun& run, const Logger& logger) {
  return judged_samples(run.trained,
                        embed_run_part(run, run.data.judged, "embedding test samples", logger));
}

EmbeddedSet embed_known_part(const TrainedRun& run, const Logger& logger) {
  return embed_run_part(run, run.data.known, "embedding known samples", logger);
}

}  // namespace projnce
