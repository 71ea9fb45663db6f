#pragma once

#include <torch/types.h>

#include "bench/training/contest.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loader/batch.h"
#include "projnce/loss/loss.h"
#include "projnce/train/adamw.h"

namespace projnce::bench {

/// Training steps as in the trainer: forward, SupCon loss, backward, gradient norm, AdamW.
class TrainingStep {
 public:
  explicit TrainingStep(encoder::EncoderPtr encoder);

  /// Adds the time of each part to `turn`.
  void run(const loader::Batch& batch, Turn& turn);

 private:
  encoder::EmbeddingModelPtr model_;
  loss::LossPtr loss_;
  train::AdamW optimizer_;
};

/// Random images of ten classes with two views.
loader::Batch random_batch(int64_t samples, const encoder::InputShape& input);

}  // namespace projnce::bench
