#pragma once

#include <torch/types.h>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/distributed/process_group.h"
#include "projnce/train/trainer.h"

namespace projnce::train {

/// The objects whose state training modifies.
struct TrainingParts {
  encoder::EmbeddingModel& model;
  loss::Loss& loss;
  Trainer& trainer;
};

/// Collects the complete training state as the content of one file: weights and buffers of model
/// and loss ("model.", "loss."), optimizer moments ("optimizer."), the random generator state of
/// every rank ("random.generators", one row each; "random.device_generators" for a device other
/// than the CPU), and the counters in the metadata. The tensors are not copied and stay on their
/// device. This is a collective: every rank must call it; rank 0's result is the one to save.
checkpoint::TensorFile collect_training(const TrainingParts& parts,
                                        distributed::ProcessGroup& ranks);

/// Restores everything except the random generators. Throws, before anything is modified, if the
/// file belongs to another architecture.
void restore_training(const TrainingParts& parts, const checkpoint::TensorFile& file);

/// Restores only the weights and buffers of model and loss. Throws like `restore_training`.
void restore_weights(encoder::EmbeddingModel& model, loss::Loss& loss, checkpoint::TensorFile file);

/// Broadcasts the weights and buffers of rank 0's model and loss. Collective.
void broadcast_weights(encoder::EmbeddingModel& model, loss::Loss& loss,
                       distributed::ProcessGroup& ranks);

/// Broadcasts the training state of rank 0, except for the random generators. Collective.
void broadcast_training(const TrainingParts& parts, distributed::ProcessGroup& ranks);

/// Returns the state of this rank's random generator for `device` from the checkpoint `file`, which
/// is only read on rank 0 and may be null. Returns an undefined tensor if there is none or if it
/// was written by a different number of ranks or for another kind of device. Collective.
torch::Tensor saved_random_state(const checkpoint::TensorFile* file,
                                 distributed::ProcessGroup& ranks,
                                 const torch::Device& device = torch::kCPU);

/// Seeds this rank's random generator for training, differently for each rank.
void seed_training(uint64_t seed, const distributed::ProcessGroup& ranks);

}  // namespace projnce::train
