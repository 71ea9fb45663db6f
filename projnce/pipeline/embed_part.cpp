#include "projnce/pipeline/embed_part.h"

#include "projnce/core/progress.h"
#include "projnce/pipeline/run_evaluation.h"

namespace projnce {

EmbeddedSet embed_part(const TrainedModel& trained, const DatasetPtr& samples,
                       const EmbedPartOptions& options, const Logger& logger) {
  DamageWatch damage(samples->size(), logger);
  auto loading = eval_loader_options(trained.input, options.batch_size, options.threads);
  if (!options.strict) loading.damage = &damage;
  Progress progress(options.label, samples->size(), "samples");
  return embed_dataset(*trained.model, samples, loading,
                       [&](int64_t rows) { progress.update(rows); });
}

}  // namespace projnce
