#pragma once

#include <torch/types.h>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/distributed/process_group.h"
#include "projnce/train/trainer.h"

namespace projnce::train {

/// Everything that training changes.
struct TrainingParts {
  encoder::EmbeddingModel& model;
  loss::Loss& loss;
  Trainer& trainer;
};

/// The whole state of a training as one file's content: weights and buffers of model and loss
/// ("model.", "loss."), optimizer moments ("optimizer."), the state of every rank's random
/// generator ("random.generators", a row each), and the counters in the metadata. The tensors are
/// the live ones. A collective: every rank calls it; rank 0's result is the one to keep.
checkpoint::TensorFile collect_training(const TrainingParts& parts,
                                        distributed::ProcessGroup& ranks);

/// Puts all of it back but the random generators. Throws a sentence, before anything is changed,
/// where the file belongs to another architecture.
void restore_training(const TrainingParts& parts, const checkpoint::TensorFile& file);

/// Puts back the weights and buffers of model and loss alone. Throws likewise.
void restore_weights(encoder::EmbeddingModel& model, loss::Loss& loss, checkpoint::TensorFile file);

/// Gives every rank the weights and buffers of rank 0's model and loss. A collective.
void share_weights(encoder::EmbeddingModel& model, loss::Loss& loss,
                   distributed::ProcessGroup& ranks);

/// Gives every rank the state of rank 0. The random generators stay each rank's own.
void share_training(const TrainingParts& parts, distributed::ProcessGroup& ranks);

/// The state of this rank's random generator in the checkpoint, which rank 0 gives (null where it
/// has none; the other ranks' argument is not looked at). Undefined where another number of ranks
/// wrote it. A collective.
torch::Tensor saved_random_state(const checkpoint::TensorFile* file,
                                 distributed::ProcessGroup& ranks);

/// Seeds this rank's random generator for training; ranks draw different numbers.
void seed_training(uint64_t seed, const distributed::ProcessGroup& ranks);

}  // namespace projnce::train
