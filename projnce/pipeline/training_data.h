#pragma once

#include "projnce/core/table.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/pipeline/input_options.h"
#include "projnce/pipeline/run_config.h"

namespace projnce {

/// The data of a run, opened and checked, and the form in which it reaches the encoder.
struct TrainingData {
  OpenedDataset dataset;
  InputOptions input;

  const Dataset& train() const { return *dataset.train; }
  const Dataset& test() const { return *dataset.test; }
  int64_t num_classes() const { return static_cast<int64_t>(train().class_names().size()); }
};

/// Opens [dataset] and completes [dataset] and [input] of the configuration. Of `context`, seed and
/// threads are replaced by the run's; samples are checked behind a progress bar.
TrainingData open_training_data(Table& config, const RunSettings& settings, int threads,
                                OpenContext context);

}  // namespace projnce
