#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/registry.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loader/loaders.h"

namespace projnce::inference {

/// Samples as the model sees them, in the dataset's order; damaged ones are left out.
struct EmbeddedSet {
  torch::Tensor embeddings;  // [N, D]
  torch::Tensor features;    // [N, F]
  torch::Tensor labels;      // [N], int64
  torch::Tensor indices;     // [N], int64: the samples' places in the dataset
};

/// Runs the whole dataset through the model, un-augmented and in evaluation mode; the model is left
/// in the mode it came in. `on_rows` is told after every batch how many are done; it may throw to
/// give up.
EmbeddedSet embed_dataset(encoder::EmbeddingModel& model, const dataset::DatasetPtr& dataset,
                          const loader::EvalLoaderOptions& options,
                          const std::function<void(int64_t rows)>& on_rows = {});

struct EmbedRequest {
  std::filesystem::path run;
  /// One dataset name or folder, or any number of files; none: the run's own data.
  std::vector<std::string> inputs;
  std::filesystem::path data = {};  ///< where the run's data lies now; empty: where the run says
  std::filesystem::path output;
  std::string part = "all";      ///< of a dataset: "train", "test" or "all"
  dataset::OpenContext context;  ///< where datasets are looked for
};

/// Writes the embeddings of the inputs, and their labels where known, as .npy files, and the
/// samples' names beside them, a line for each row.
nlohmann::ordered_json embed_inputs(const EmbedRequest& request, const Logger& logger);

}  // namespace projnce::inference
