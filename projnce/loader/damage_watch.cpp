#include "projnce/loader/damage_watch.h"

#include <utility>

#include "projnce/dataset/checked_dataset.h"

namespace projnce {

DamageWatch::DamageWatch(int64_t samples, Logger logger)
    : samples_(samples), logger_(std::move(logger)) {}

void DamageWatch::skip(int64_t index, const Error& error) {
  if (error.fault() != Fault::kInput) throw error;
  const std::lock_guard lock(mutex_);
  if (!damaged_.insert(index).second) return;
  if (logger_) logger_->warn("skipped: {}", error.what());
  const auto count = static_cast<double>(damaged_.size());
  if (count > DamageRules{}.tolerated_share * static_cast<double>(samples_)) {
    fail(Hint{"'projnce data verify' lists the damaged files"}, damaged_.size(), " of ", samples_,
         " samples cannot be read, expected at most ", 100 * DamageRules{}.tolerated_share,
         " %: ", error.what());
  }
}

int64_t DamageWatch::skipped() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(damaged_.size());
}

std::vector<int64_t> DamageWatch::damaged() const {
  const std::lock_guard lock(mutex_);
  return {damaged_.begin(), damaged_.end()};
}

}  // namespace projnce
