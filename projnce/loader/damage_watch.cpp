#include "projnce/loader/damage_watch.h"

#include <utility>

namespace projnce {

DamageWatch::DamageWatch(int64_t samples, Logger logger, const CorruptLimit& limit)
    : samples_(samples), logger_(std::move(logger)), limit_(limit) {}

void DamageWatch::skip(int64_t index, const Error& error) {
  if (error.fault() != Fault::kInput) throw error;
  const std::lock_guard lock(mutex_);
  if (!damaged_.insert(index).second) return;
  if (logger_) logger_->warn("skipped: {}", error.what());
  const auto count = static_cast<int64_t>(damaged_.size());
  if (count > limit_.of(samples_) || count == samples_) {
    fail(Hint{"'projnce data verify' lists the damaged files; --max-corrupt of 'projnce train' "
              "accepts more"},
         count, " of ", samples_, " samples cannot be read, expected ", limit_.describe(), ": ",
         error.what());
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
