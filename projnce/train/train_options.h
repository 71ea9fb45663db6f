#pragma once

#include <cstdint>

#include "projnce/core/table.h"
#include "projnce/train/schedule.h"

namespace projnce {

/// How a run is trained. The defaults are the paper's.
struct TrainOptions {
  int64_t epochs = 500;
  int64_t batch_size = 256;  ///< samples; rows of a batch are this times the views
  /// Samples encoded at a time, up to batch_size; 0 is all. Saves memory, not time; the loss still
  /// sees the whole batch (gradient_cache.h).
  int64_t micro_batch = 0;
  double learning_rate = 0.01;
  double weight_decay = 1e-4;
  double clip_norm = 0;    ///< gradients longer than this are shortened to it; 0 is off
  bool balanced = false;   ///< batches hold the classes as evenly as they can
  int64_t log_every = 50;  ///< steps between lines in metrics.jsonl
  int64_t keep_checkpoints = 2;
  ScheduleOptions schedule;
};

TrainOptions read_train_options(Table& table);

}  // namespace projnce
