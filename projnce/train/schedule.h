#pragma once

#include <cstdint>

namespace projnce {

enum class Schedule { kConstant, kCosine };

/// How the learning rate goes over a run, as a factor on its base value.
struct ScheduleOptions {
  Schedule schedule = Schedule::kConstant;
  double warmup_epochs = 0;  ///< rises linearly from 0 over these; fractions are allowed
};

/// Factor for step `step` (from 0) of `total_steps`: linear warm-up, then 1 or a half cosine to 0.
double schedule_factor(const ScheduleOptions& options, int64_t step, int64_t steps_per_epoch,
                       int64_t total_steps);

}  // namespace projnce
