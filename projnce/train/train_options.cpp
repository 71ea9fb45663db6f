#include "projnce/train/train_options.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "projnce/core/error.h"

namespace projnce::train {

double schedule_factor(const ScheduleOptions& options, int64_t step, int64_t steps_per_epoch,
                       int64_t total_steps) {
  const double warmup = options.warmup_epochs * static_cast<double>(steps_per_epoch);
  const auto now = static_cast<double>(step);
  // Step 0 of a warm-up over w steps has factor 1 / w, so the first step already updates.
  if (now + 1 < warmup) return (now + 1) / warmup;
  if (options.schedule == Schedule::kConstant) return 1;
  const double rest = std::max(1.0, static_cast<double>(total_steps) - warmup);
  const double progress = std::clamp((now - warmup) / rest, 0.0, 1.0);
  return 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

namespace {

void check_micro_batch(const TrainOptions& options) {
  if (options.micro_batch <= options.batch_size) return;
  fail(Hint{"micro_batch is the number of samples encoded at a time; 0 encodes the whole batch"},
       "[train] micro_batch = ", options.micro_batch,
       " is larger than batch_size = ", options.batch_size);
}

}  // namespace

void list_fields(TrainOptions& options, FieldVisitor& fields) {
  fields.field("init", options.init)
      .field("device", options.device)
      .choice("precision", options.precision,
              {{"float32", Precision::kFloat32},
               {"bf16", Precision::kBfloat16},
               {"fp16", Precision::kFloat16}})
      .field("tf32", options.tf32)
      .field("epochs", options.epochs, between(1, 1e6))
      .field("batch_size", options.batch_size, between(2, 1 << 20))
      .field("micro_batch", options.micro_batch, at_least(0))
      .field("learning_rate", options.learning_rate, above(0))
      .field("weight_decay", options.weight_decay, at_least(0))
      .field("clip_norm", options.clip_norm, at_least(0))
      .field("validation", options.validation, between(0, 0.5))
      .field("balanced", options.balanced)
      .field("log_every", options.log_every, at_least(1))
      .field("keep_checkpoints", options.keep_checkpoints, at_least(2))
      .field("checkpoint_every", options.checkpoint_every, at_least(0))
      .field("checkpoint_minutes", options.checkpoint_minutes, at_least(0))
      .field("skip_nonfinite", options.skip_nonfinite, at_least(0))
      .field("loader_threads", options.loader_threads, between(-1, 1024))
      .field("sync_batch_norm", options.sync_batch_norm)
      .field("rank_timeout", options.rank_timeout, above(0))
      .field("warmup_epochs", options.schedule.warmup_epochs, at_least(0))
      .choice("schedule", options.schedule.schedule,
              {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}});
  fields.check([&options] { check_micro_batch(options); });
}

}  // namespace projnce::train
