#pragma once

#include <cstdint>
#include <string>

#include "projnce/core/field_visitor.h"

namespace projnce::train {

enum class Schedule { kConstant, kCosine };

/// How the learning rate goes over a run, as a factor on its base value.
struct ScheduleOptions {
  Schedule schedule = Schedule::kConstant;
  double warmup_epochs = 0;  ///< rises linearly from 0 over these; fractions are allowed
};

/// Factor for step `step` (from 0) of `total_steps`: linear warm-up, then 1 or a half cosine to 0.
double schedule_factor(const ScheduleOptions& options, int64_t step, int64_t steps_per_epoch,
                       int64_t total_steps);

/// How a run is trained. The defaults are the paper's.
struct TrainOptions {
  std::string init = "";  ///< weights to start from: a safetensors file or a run's directory
  int64_t epochs = 500;
  int64_t batch_size = 256;  ///< samples; rows of a batch are this times the views
  /// Samples encoded at a time, up to batch_size; 0 is all. Saves memory, not time; the loss still
  /// sees the whole batch (gradient_cache.h).
  int64_t micro_batch = 0;
  double learning_rate = 0.01;
  double weight_decay = 1e-4;
  double clip_norm = 0;  ///< gradients longer than this are shortened to it; 0 is off
  /// Share of each class of the training part that is not trained on but chooses the epoch and the
  /// readout that the run delivers; 0: none, and the last epoch is delivered.
  double validation = 0;
  bool balanced = false;   ///< batches hold the classes as evenly as they can
  int64_t log_every = 50;  ///< steps between lines in metrics.jsonl
  int64_t keep_checkpoints = 2;
  int64_t checkpoint_every = 0;    ///< steps between checkpoints within an epoch; 0: by time alone
  double checkpoint_minutes = 15;  ///< after which a long epoch has a checkpoint; 0 is never
  /// Steps in a row whose loss or gradient may fail to be finite: they leave the weights as they
  /// are. One more stops the training; 0 stops it at the first.
  int64_t skip_nonfinite = 0;
  int64_t loader_threads = -1;  ///< that make batches; 0: the training one itself, -1: `threads`
  ScheduleOptions schedule;
  /// With several ranks: batch-norm takes its statistics over the whole batch, as one process does.
  bool sync_batch_norm = true;
  double rank_timeout = 300;  ///< seconds after which a rank that does not answer is given up
};

/// The section [train].
void list_fields(TrainOptions& options, FieldVisitor& fields);

}  // namespace projnce::train
