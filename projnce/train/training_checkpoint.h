#pragma once

#include <torch/types.h>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/distributed/ranks.h"
#include "projnce/train/trainer.h"

namespace projnce {

/// Everything that training changes.
struct TrainingParts {
  EmbeddingModel& model;
  ContrastiveLoss& loss;
  Trainer& trainer;
};

/// The whole state of a training as one file's content: weights and buffers of model and loss
/// ("model.", "loss."), optimizer moments ("optimizer."), the state of every rank's random
/// generator ("random.generators", a row each), and the counters in the metadata. The tensors are
/// the live ones. A collective: every rank calls it; rank 0's result is the one to keep.
TensorFile collect_training(const TrainingParts& parts, Ranks& ranks);

/// Puts it back. Throws a sentence, before anything is changed, where the file belongs to another
/// architecture. Of the random generators, this rank's is taken where the file was written by as
/// many ranks; else it is left as it is.
void restore_training(const TrainingParts& parts, const TensorFile& file, const Ranks& ranks);

/// Gives every rank the state of rank 0. The random generators stay each rank's own.
void share_training(const TrainingParts& parts, Ranks& ranks);

/// How many ranks wrote the checkpoint.
int64_t ranks_of(const TensorFile& file);

/// Seeds this rank's random generator for training; ranks draw different numbers.
void seed_training(uint64_t seed, const Ranks& ranks);

}  // namespace projnce
