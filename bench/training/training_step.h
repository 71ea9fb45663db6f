#pragma once

#include <torch/types.h>

#include "bench/training/contest.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loader/batch.h"
#include "projnce/loss/loss.h"
#include "projnce/train/adamw.h"

namespace projnce::bench {

/// Steps of training as the trainer takes them: forward, SupCon, backward, the gradients' length,
/// AdamW.
class TrainingStep {
 public:
  explicit TrainingStep(EncoderPtr encoder);

  /// Adds what its parts take to `turn`.
  void run(const Batch& batch, Turn& turn);

 private:
  EmbeddingModelPtr model_;
  LossPtr loss_;
  AdamW optimizer_;
};

/// Random pictures of ten classes in two views.
Batch random_batch(int64_t samples, const InputShape& input);

}  // namespace projnce::bench
