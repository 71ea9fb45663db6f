#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/registry.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loader/loaders.h"

namespace projnce::inference {

/// Embeddings of a dataset, in its order, without corrupt samples; on the CPU.
struct EmbeddedSet {
  torch::Tensor embeddings;  // [N, D]
  torch::Tensor features;    // [N, F]
  torch::Tensor labels;      // [N], int64
  torch::Tensor indices;     // [N], int64: dataset indices
};

/// Embeds a dataset in evaluation mode, without augmentation, on the device of the model; restores
/// the mode of the model.
/// Calls `on_rows` after every batch with the number of rows so far; it may throw to stop.
EmbeddedSet embed_dataset(encoder::EmbeddingModel& model, const dataset::DatasetPtr& dataset,
                          const loader::EvalLoaderOptions& options,
                          const std::function<void(int64_t rows)>& on_rows = {});

struct EmbedRequest {
  std::filesystem::path run;
  /// One dataset name or folder, or any number of files; empty: the run's own data.
  std::vector<std::string> inputs;
  std::filesystem::path data =
      {};  ///< current path of the run's data; empty: as recorded in the run
  std::filesystem::path output;
  std::string split = "all";     ///< split of a dataset: "train", "test" or "all"
  std::string device = "auto";   ///< see resolve_device
  dataset::OpenContext context;  ///< dataset search paths
};

/// Size of the written matrix, and the written files.
struct EmbedResult {
  int64_t rows = 0;                  ///< number of samples
  int64_t dim = 0;                   ///< number of columns
  std::filesystem::path embeddings;  ///< .npy matrix
  std::filesystem::path names;       ///< text file, one sample name per row
  std::filesystem::path labels;      ///< .npy array; empty if the labels are unknown
};

/// Writes the embeddings of the inputs and, if known, their labels to .npy files, and the sample
/// names to a text file, one line per row.
EmbedResult embed_inputs(const EmbedRequest& request, const Logger& logger);

}  // namespace projnce::inference
