#pragma once

#include <functional>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/pipeline/judge.h"
#include "projnce/pipeline/report_options.h"
#include "projnce/pipeline/trained_model.h"
#include "projnce/pipeline/training_data.h"
#include "projnce/report/report_samples.h"
#include "projnce/report/run_paths.h"

namespace projnce {

/// A trained run with its samples at hand.
struct JudgedRun {
  RunPaths paths;
  const TrainingData& data;
  const JudgedSamples& samples;  ///< with the known ones
  DatasetPtr known;              ///< what samples.known was made of: data.known or a part of it
  TrainedModel trained;          ///< that the report shows the predictions of
  int threads = 1;
  std::function<bool()> stop_requested = {};  ///< asked between the steps
};

/// Judges the training labels, maps samples into the plane, draws them small, and writes tsne.npy
/// (where the test part is not too large to map as a whole), suspects.csv and samples.safetensors.
/// What cannot be made (too few samples for a map, say) is left out and said in the last of them.
/// Returns what that holds. Throws where it is stopped.
ReportSamples write_report_data(const JudgedRun& run, const ReportOptions& options,
                                const Logger& logger);

}  // namespace projnce
