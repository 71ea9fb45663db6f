#pragma once

#include "projnce/core/logging.h"
#include "projnce/pipeline/judge.h"
#include "projnce/pipeline/trained_model.h"
#include "projnce/pipeline/training_data.h"
#include "projnce/report/run_paths.h"

namespace projnce {

/// A run whose training is over, with its model and data at hand again.
struct TrainedRun {
  RunConfig config;
  TrainedModel trained;
  TrainingData data;
  int threads = 1;
};

/// Opens the run with the split that it was trained with. `data` is where its data lies now, or
/// other data; empty: where the run says. Sets the number of threads.
TrainedRun open_trained_run(const RunPaths& paths, const std::filesystem::path& data,
                            const OpenContext& context);

/// The test part as the model sees it, with what the run knows about the classes.
JudgedSamples embed_test_part(const TrainedRun& run, const Logger& logger);

/// The samples that class centroids are taken from, likewise.
EmbeddedSet embed_known_part(const TrainedRun& run, const Logger& logger);

}  // namespace projnce
