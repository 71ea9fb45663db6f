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

/// Settings that define a model.
struct ModelConfig {
  encoder::EncoderOptions encoder = {};
  config::InputSettings input = {};
  loss::LossOptions loss = {};
};

void list_fields(ModelConfig& config, FieldVisitor& fields);

/// Model as stored in encoder.safetensors. The file is self-contained: it includes the settings of
/// the model.
struct TrainedModel {
  ModelConfig config;
  config::InputOptions input;
  std::vector<std::string> class_names;
  int64_t train_classes = 0;  ///< number of classes of the loss; fewer for coarse labels
  encoder::EmbeddingModelPtr model;
  loss::LossPtr loss;           ///< for its classifier or class vectors, if any
  torch::Tensor class_vectors;  // [C, D], centroids of the training embeddings
  Readout readout = {};         ///< how it predicts classes
  int64_t epoch = 0;            ///< epoch of the weights, from 1; 0 in files of older versions
  EpochRule rule = EpochRule::kLast;
};

/// Combines `set` with the class vectors, logits and reference samples of the model, for evaluation
/// with its readout.
EvalInputs eval_inputs(const TrainedModel& trained, EmbeddedSet set);

/// Class scores [N, C] of the readout for `set`.
torch::Tensor readout_scores(const TrainedModel& trained, const EmbeddedSet& set);

void save_trained_model(const std::filesystem::path& path, const TrainedModel& trained);
/// Throws if `path` does not exist, because training has not finished.
void require_trained(const std::filesystem::path& path);
/// Reads a model and moves it to a device, see resolve_device.
TrainedModel load_trained_model(const std::filesystem::path& path,
                                const std::string& device = "cpu");

struct EmbedOptions {
  std::string label;  ///< of the progress bar
  int64_t batch_size = 512;
  int threads = 1;
  bool strict = false;  ///< if true, a corrupt sample throws; otherwise it is logged and skipped
};

/// Embeds `samples`, which must be in the input format of the model. Shows a progress bar.
EmbeddedSet embed_samples(const TrainedModel& trained, const dataset::DatasetPtr& samples,
                          const EmbedOptions& options, const Logger& logger);

/// Finished run with its model and data.
struct TrainedRun {
  config::RunConfig config;
  TrainedModel trained;
  data::TrainingData data;
  int threads = 1;
};

/// Opens a run with the split of its training. `data` is the current path of its data, or other
/// data; empty: as recorded in the run. Sets the number of threads.
TrainedRun open_trained_run(const io::RunPaths& paths, const std::filesystem::path& data,
                            const dataset::OpenContext& context, const std::string& device = "cpu");

/// Embeds the test split, and adds the class vectors and logits of the model.
EvalInputs embed_test_split(const TrainedRun& run, const Logger& logger);

/// Embeds the samples that define the class centroids.
EmbeddedSet embed_reference_split(const TrainedRun& run, const Logger& logger);

}  // namespace projnce::inference
