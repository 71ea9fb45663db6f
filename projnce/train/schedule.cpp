#include "projnce/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace projnce {

double schedule_factor(const ScheduleOptions& options, int64_t step, int64_t steps_per_epoch,
                       int64_t total_steps) {
  const double warmup = options.warmup_epochs * static_cast<double>(steps_per_epoch);
  const auto now = static_cast<double>(step);
  // The first step already moves: step 0 of a warm-up over w steps has factor 1 / w.
  if (now + 1 < warmup) return (now + 1) / warmup;
  if (options.schedule == Schedule::kConstant) return 1;
  const double rest = std::max(1.0, static_cast<double>(total_steps) - warmup);
  const double progress = std::clamp((now - warmup) / rest, 0.0, 1.0);
  return 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

}  // namespace projnce
