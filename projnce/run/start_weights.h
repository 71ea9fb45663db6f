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

/// What is known about the samples that a training's initial weights were trained on.
struct InitialSamples {
  std::string run = {};  ///< whose weights they are; "" if they are not a run's
  bool unknown = false;  ///< the run did not record its split
  std::shared_ptr<const dataset::TrainedOn> trained_on =
      nullptr;                               ///< by that run; null if not known
  std::vector<dataset::SampleId> seen = {};  ///< by that run and those before it; sorted
};

/// Of the weights at `init`, a file or a run; nothing where that is empty.
InitialSamples read_initial_samples(const std::filesystem::path& init);

/// Of a run that is resumed: its own training samples stay in the training part.
InitialSamples read_resumed_samples(const io::RunPaths& run, const std::filesystem::path& init);

/// Rank 0's `trained_on` for all ranks, so that they draw the same split. A collective.
std::shared_ptr<const dataset::TrainedOn> share_trained_on(const InitialSamples& initial,
                                                           distributed::ProcessGroup& ranks);

/// The number of test samples that the initial weights were trained on. Warns if there are any, or
/// if it cannot be known.
int64_t check_seen_samples(const InitialSamples& initial, const dataset::StoredSplit& split,
                           const Logger& logger);

/// The weights at `init`, a file or another run's directory; nothing where that is empty.
std::optional<checkpoint::TensorFile> read_start_weights(const std::filesystem::path& init);

/// Puts the weights into the model, and into the loss where they are of the same one, and logs what
/// was taken. Throws where they do not fit the encoder.
void start_from(const checkpoint::TensorFile& weights, encoder::EmbeddingModel& model,
                const loss::Loss& loss, const Logger& logger);

}  // namespace projnce::run
