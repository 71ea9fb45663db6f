#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/class_folders.h"
#include "projnce/dataset/stored_split.h"
#include "projnce/distributed/ranks.h"
#include "projnce/report/run_paths.h"

namespace projnce {

/// What is known about the samples that a training's initial weights were trained on.
struct InitialSamples {
  std::string run = {};  ///< whose weights they are; "" if they are not a run's
  bool unknown = false;  ///< the run did not record its split
  std::shared_ptr<const TrainedOn> trained_on = nullptr;  ///< by that run; null if not known
  std::vector<SampleId> seen = {};  ///< by that run and those before it; sorted
};

/// Of the weights at `init`, a file or a run; nothing where that is empty.
InitialSamples read_initial_samples(const std::filesystem::path& init);

/// Of a run that is resumed: its own training samples stay in the training part.
InitialSamples read_resumed_samples(const RunPaths& run, const std::filesystem::path& init);

/// Rank 0's `trained_on` for all ranks, so that they draw the same split. A collective.
std::shared_ptr<const TrainedOn> share_trained_on(const InitialSamples& initial, Ranks& ranks);

/// The number of test samples that the initial weights were trained on. Warns if there are any, or
/// if it cannot be known.
int64_t check_seen_samples(const InitialSamples& initial, const StoredSplit& split,
                           const Logger& logger);

}  // namespace projnce
