#pragma once

#include <functional>
#include <vector>

#include "projnce/config/report_options.h"
#include "projnce/core/logging.h"
#include "projnce/data/training_data.h"
#include "projnce/inference/judge.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/page/report_samples.h"

namespace projnce::report {

/// A trained run with its samples at hand.
struct JudgedRun {
  io::RunPaths paths;
  const data::TrainingData& data;
  const inference::JudgedSamples& samples;  ///< with the known ones
  dataset::DatasetPtr known;        ///< what samples.known was made of: data.known or a part of it
  inference::TrainedModel trained;  ///< that the report shows the predictions of
  int threads = 1;
  std::function<bool()> stop_requested = {};  ///< asked between the steps
};

/// Judges the training labels, maps samples into the plane, draws them small, and writes tsne.npy
/// (where the test part is not too large to map as a whole), suspects.csv and samples.safetensors.
/// What cannot be made (too few samples for a map, say) is left out and said in the last of them.
/// Returns what that holds. Throws where it is stopped.
ReportSamples write_report_data(const JudgedRun& run, const config::ReportOptions& options,
                                const Logger& logger);

}  // namespace projnce::report
