#include "projnce/pipeline/trained_run.h"

#include "projnce/core/threads.h"
#include "projnce/pipeline/embed_part.h"
#include "projnce/pipeline/run_data_place.h"
#include "projnce/pipeline/run_evaluation.h"
#include "projnce/pipeline/run_request.h"

namespace projnce {

namespace {

EmbeddedSet embed_run_part(const TrainedRun& run, const DatasetPtr& part, const char* label,
                           const Logger& logger) {
  return embed_part(run.trained, part, {label, run.config.eval.batch_size, run.threads}, logger);
}

}  // namespace

TrainedRun open_trained_run(const RunPaths& paths, const std::filesystem::path& place,
                            const OpenContext& context) {
  auto trained = load_trained_model(paths.encoder());
  auto config = parse_run_config(read_stored_settings(paths.config()));
  const auto run_context = run_data_context(paths, config, place, context);
  const int threads = set_threads(static_cast<int>(config.run.threads));
  auto data = open_training_data(config, threads, run_context);
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
