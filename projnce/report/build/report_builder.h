#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "projnce/config/run_config.h"
#include "projnce/core/logging.h"
#include "projnce/data/training_data.h"
#include "projnce/inference/protocol_result.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/page/report_samples.h"

namespace projnce::report {

/// A trained run with its embedded samples.
struct EvaluatedRun {
  io::RunPaths paths;
  const data::TrainingData& data;
  const inference::EvalInputs& samples;              ///< includes the reference samples
  std::optional<inference::EmbeddedSet> validation;  ///< empty without a validation split
  dataset::DatasetPtr reference;    ///< source of samples.reference: data.reference or a subset
  inference::TrainedModel trained;  ///< model whose predictions the report shows
  int threads = 1;
  std::function<bool()> stop_requested = {};  ///< polled between steps
};

/// Audits the labels, computes 2-D maps of the samples and renders thumbnails. Writes tsne.npy (if
/// the test split is small enough to map as a whole), label_issues.csv and samples.safetensors. A
/// step that fails, for example a map of too few samples, is omitted and noted in
/// samples.safetensors. Returns the contents of that file. Throws if stop_requested returns true.
ReportSamples write_report_data(const EvaluatedRun& run, const config::ReportOptions& options,
                                const Logger& logger);

}  // namespace projnce::report
