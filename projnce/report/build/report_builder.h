#pragma once

#include <functional>
#include <vector>

#include "projnce/config/report_options.h"
#include "projnce/core/logging.h"
#include "projnce/data/training_data.h"
#include "projnce/inference/protocol_result.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/page/report_samples.h"

namespace projnce::report {

/// A trained run with its samples at hand.
struct EvaluatedRun {
  io::RunPaths paths;
  const data::TrainingData& data;
  const inference::EvalInputs& samples;  ///< with the known ones
  dataset::DatasetPtr
      reference;  ///< what samples.reference was made of: data.reference or a part of it
  inference::TrainedModel trained;  ///< that the report shows the predictions of
  int threads = 1;
  std::function<bool()> stop_requested = {};  ///< asked between the steps
};

/// Judges the training labels, maps samples into the plane, draws them small, and writes tsne.npy
/// (where the test part is not too large to map as a whole), suspects.csv and samples.safetensors.
/// What cannot be made (too few samples for a map, say) is left out and said in the last of them.
/// Returns what that holds. Throws where it is stopped.
ReportSamples write_report_data(const EvaluatedRun& run, const config::ReportOptions& options,
                                const Logger& logger);

}  // namespace projnce::report
