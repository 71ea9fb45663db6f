#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loss/loss.h"
#include "projnce/pipeline/input_options.h"
#include "projnce/pipeline/readout.h"

namespace projnce {

/// A model that can be used: what encoder.safetensors holds. The file alone is enough; it carries
/// the settings that the model is built from.
struct TrainedModel {
  Table config;  ///< sections encoder, input and loss
  InputOptions input;
  std::vector<std::string> class_names;
  int64_t train_classes = 0;  ///< that the loss was trained with: fewer where those were coarse
  EmbeddingModelPtr model;
  LossPtr loss;                 ///< for its classifier or class vectors, where it has them
  torch::Tensor class_vectors;  // [C, D], centroids of the training embeddings
  Readout readout = {};         ///< how it predicts classes
  int64_t epoch = 0;            ///< whose weights these are, from 1; 0 in files of older versions
  EpochRule rule = EpochRule::kLast;
};

/// `set` with what the model knows about the classes, ready to be judged by the model's readout.
JudgedSamples judged_samples(const TrainedModel& trained, EmbeddedSet set);

/// The scores [N, C] that the model predicts the classes of `set` by.
torch::Tensor readout_scores(const TrainedModel& trained, const EmbeddedSet& set);

void save_trained_model(const std::filesystem::path& path, const TrainedModel& trained);
/// Throws where a run's training has not come to its end, at which it writes the file.
void require_trained(const std::filesystem::path& path);
TrainedModel load_trained_model(const std::filesystem::path& path);

}  // namespace projnce
