#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

#include "projnce/dataset/dataset.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loader/eval_loader.h"

namespace projnce {

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
EmbeddedSet embed_dataset(EmbeddingModel& model, const DatasetPtr& dataset,
                          const EvalLoaderOptions& options,
                          const std::function<void(int64_t rows)>& on_rows = {});

}  // namespace projnce
