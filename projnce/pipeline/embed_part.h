#pragma once

#include <cstdint>
#include <string>

#include "projnce/core/logging.h"
#include "projnce/pipeline/embed_dataset.h"
#include "projnce/pipeline/trained_model.h"

namespace projnce {

struct EmbedPartOptions {
  std::string label;  ///< of the progress bar
  int64_t batch_size = 512;
  int threads = 1;
  bool strict = false;  ///< a damaged sample throws; else it is named and left out
};

/// Samples, in the form that the model takes, as it sees them.
EmbeddedSet embed_part(const TrainedModel& trained, const DatasetPtr& samples,
                       const EmbedPartOptions& options, const Logger& logger);

}  // namespace projnce
