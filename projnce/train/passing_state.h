#pragma once

#include <torch/types.h>

#include <vector>

#include "projnce/encoder/embedding_model.h"

namespace projnce {

// What a forward pass changes in passing, besides giving its result.

/// The state of LibTorch's random generator.
torch::Tensor random_state();
void set_random_state(const torch::Tensor& state);

/// Copies of the model's buffers: running statistics.
std::vector<torch::Tensor> copy_buffers(const EmbeddingModel& model);
void restore_buffers(EmbeddingModel& model, const std::vector<torch::Tensor>& copies);

}  // namespace projnce
