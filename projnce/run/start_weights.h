#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/core/logging.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/split/stored_split.h"
#include "projnce/distributed/process_group.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/loss/loss.h"

namespace projnce::run {

/// Samples that the initial weights of a training were trained on.
struct InitialSamples {
  std::string run = {};  ///< source of the weights; "" if not a run
  bool unknown = false;  ///< true if that run did not record its split
  std::shared_ptr<const dataset::TrainedOn> trained_on = nullptr;  ///< by that run; null if unknown
  std::vector<dataset::SampleId> seen = {};  ///< by that run and its ancestors; sorted
};

/// Reads the samples behind the weights at `init`, a file or a run. Empty if `init` is empty.
InitialSamples read_initial_samples(const std::filesystem::path& init);

/// Same for a resumed run: its own training samples stay in the training split.
InitialSamples read_resumed_samples(const io::RunPaths& run, const std::filesystem::path& init);

/// Broadcasts `trained_on` of rank 0, so that all ranks draw the same split. Collective.
std::shared_ptr<const dataset::TrainedOn> share_trained_on(const InitialSamples& initial,
                                                           distributed::ProcessGroup& ranks);

/// Returns the number of test samples that the initial weights were trained on. Logs a warning if
/// there are any, or if it is unknown.
int64_t check_seen_samples(const InitialSamples& initial, const dataset::StoredSplit& split,
                           const Logger& logger);

/// Loads the weights at `init`, a file or the directory of another run. Empty if `init` is empty.
std::optional<checkpoint::TensorFile> read_start_weights(const std::filesystem::path& init);

/// Copies the weights into the model, and into the loss if they come from the same loss, and logs
/// what was loaded. Throws if they do not fit the encoder.
void start_from(const checkpoint::TensorFile& weights, encoder::EmbeddingModel& model,
                const loss::Loss& loss, const Logger& logger);

}  // namespace projnce::run
