#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "projnce/config/input_options.h"
#include "projnce/core/field_visitor.h"
#include "projnce/core/logging.h"
#include "projnce/data/training_data.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/encoder/registry.h"
#include "projnce/inference/embed.h"
#include "projnce/inference/protocol_result.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/loss/loss.h"
#include "projnce/loss/registry.h"

namespace projnce::inference {

/// The settings that a model is built from.
struct ModelConfig {
  encoder::EncoderOptions encoder = {};
  config::InputSettings input = {};
  loss::LossOptions loss = {};
};

void list_fields(ModelConfig& config, FieldVisitor& fields);

/// A model that can be used: what encoder.safetensors holds. The file alone is enough; it carries
/// the settings that the model is built from.
struct TrainedModel {
  ModelConfig config;
  config::InputOptions input;
  std::vector<std::string> class_names;
  int64_t train_classes = 0;  ///< that the loss was trained with: fewer where those were coarse
  encoder::EmbeddingModelPtr model;
  loss::LossPtr loss;           ///< for its classifier or class vectors, where it has them
  torch::Tensor class_vectors;  // [C, D], centroids of the training embeddings
  Readout readout = {};         ///< how it predicts classes
  int64_t epoch = 0;            ///< whose weights these are, from 1; 0 in files of older versions
  EpochRule rule = EpochRule::kLast;
};

/// `set` with what the model knows about the classes, ready to be judged by the model's readout.
EvalInputs eval_inputs(const TrainedModel& trained, EmbeddedSet set);

/// The scores [N, C] that the model predicts the classes of `set` by.
torch::Tensor readout_scores(const TrainedModel& trained, const EmbeddedSet& set);

void save_trained_model(const std::filesystem::path& path, const TrainedModel& trained);
/// Throws where a run's training has not come to its end, at which it writes the file.
void require_trained(const std::filesystem::path& path);
TrainedModel load_trained_model(const std::filesystem::path& path);

struct EmbedPartOptions {
  std::string label;  ///< of the progress bar
  int64_t batch_size = 512;
  int threads = 1;
  bool strict = false;  ///< a damaged sample throws; else it is named and left out
};

/// Samples, in the form that the model takes, as it sees them.
EmbeddedSet embed_part(const TrainedModel& trained, const dataset::DatasetPtr& samples,
                       const EmbedPartOptions& options, const Logger& logger);

/// A run whose training is over, with its model and data at hand again.
struct TrainedRun {
  config::RunConfig config;
  TrainedModel trained;
  data::TrainingData data;
  int threads = 1;
};

/// Opens the run with the split that it was trained with. `data` is where its data lies now, or
/// other data; empty: where the run says. Sets the number of threads.
TrainedRun open_trained_run(const io::RunPaths& paths, const std::filesystem::path& data,
                            const dataset::OpenContext& context);

/// The test part as the model sees it, with what the run knows about the classes.
EvalInputs embed_test_part(const TrainedRun& run, const Logger& logger);

/// The samples that class centroids are taken from, likewise.
EmbeddedSet embed_reference_part(const TrainedRun& run, const Logger& logger);

}  // namespace projnce::inference
