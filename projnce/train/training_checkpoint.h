#pragma once

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/train/trainer.h"

namespace projnce {

/// The whole state of a training as one file's content: weights and buffers of model and loss
/// ("model.", "loss."), optimizer moments ("optimizer."), and the counters in the metadata.
TensorFile collect_training(const EmbeddingModel& model, const ContrastiveLoss& loss,
                            const Trainer& trainer);

/// Puts it back. Throws a sentence, before anything is changed, where the file belongs to another
/// architecture.
void restore_training(EmbeddingModel& model, ContrastiveLoss& loss, Trainer& trainer,
                      const TensorFile& file);

}  // namespace projnce
