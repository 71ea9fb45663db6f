#pragma once

#include <cstdint>
#include <string>

#include "projnce/core/field_visitor.h"

namespace projnce::train {

enum class Schedule { kConstant, kCosine };

/// Types in which the encoder computes; weights, losses and the optimizer use float32.
enum class Precision {
  kFloat32,
  kBfloat16,  ///< torch's autocast to bfloat16
  kFloat16,   ///< torch's autocast to float16 with loss scaling; not on the CPU
};

/// Learning-rate schedule, as a factor on the base learning rate.
struct ScheduleOptions {
  Schedule schedule = Schedule::kConstant;
  double warmup_epochs = 0;  ///< length of the linear warm-up; may be fractional
};

/// Returns the factor for step `step` (from 0) of `total_steps`: linear warm-up, then 1 or a half
/// cosine to 0.
double schedule_factor(const ScheduleOptions& options, int64_t step, int64_t steps_per_epoch,
                       int64_t total_steps);

/// Options of the training loop. The defaults are the paper's.
struct TrainOptions {
  std::string init = "";        ///< initial weights: a safetensors file or a run directory
  std::string device = "auto";  ///< "auto", "cpu", "cuda" or "cuda:N", see resolve_device
  Precision precision = Precision::kFloat32;
  bool tf32 = false;  ///< if true, CUDA may round factors of float32 products to TF32
  int64_t epochs = 500;
  int64_t batch_size = 256;  ///< number of samples; a batch has batch_size * views rows
  /// Number of samples encoded at a time, up to batch_size; 0 = the whole batch. Saves memory, not
  /// time; the loss still sees the whole batch (see gradient_cache.h).
  int64_t micro_batch = 0;
  double learning_rate = 0.01;
  double weight_decay = 1e-4;
  double clip_norm = 0;  ///< clip gradients to this norm; 0 = off
  /// Fraction of each training class held out to select the epoch and the protocol of the final
  /// model; 0 = no validation, the last epoch is final.
  double validation = 0;
  bool balanced = false;   ///< if true, batches are class-balanced as far as possible
  int64_t log_every = 50;  ///< steps between lines in metrics.jsonl
  int64_t keep_checkpoints = 2;
  int64_t checkpoint_every = 0;    ///< steps between checkpoints within an epoch; 0 = by time only
  double checkpoint_minutes = 15;  ///< minutes between checkpoints within an epoch; 0 = never
  /// Number of consecutive steps with a non-finite loss or gradient to skip before training stops.
  /// Skipped steps leave the weights unchanged; 0 stops at the first.
  int64_t skip_nonfinite = 0;
  int64_t loader_threads = -1;  ///< loader threads; 0 = the training thread, -1 = `threads`
  ScheduleOptions schedule;
  /// If true, batch-norm statistics are computed over the batch of all ranks.
  bool sync_batch_norm = true;
  double rank_timeout = 300;  ///< seconds to wait for an unresponsive rank
};

/// The section [train].
void list_fields(TrainOptions& options, FieldVisitor& fields);

}  // namespace projnce::train
