#include "projnce/dataset/spectrograms.h"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "projnce/augment/sound/log_mel.h"
#include "projnce/core/error.h"

namespace projnce {

namespace {

/// Front ends that are not in use: each holds tables and buffers worth keeping.
class LogMelPool {
 public:
  explicit LogMelPool(const MelOptions& options) : options_(options) {}

  void compute(const Clip& clip, Features& out) {
    auto front_end = take();
    front_end->compute(clip.samples, out);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(front_end));
  }

 private:
  std::unique_ptr<LogMel> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto front_end = std::move(idle_.back());
        idle_.pop_back();
        return front_end;
      }
    }
    return std::make_unique<LogMel>(options_);
  }

  MelOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<LogMel>> idle_;
};

class Spectrograms : public DatasetWrapper {
 public:
  Spectrograms(DatasetPtr clips, const MelOptions& mel, FeatureCachePtr cache)
      : DatasetWrapper(std::move(clips)),
        pool_(mel),
        parameters_("log-mel 1 " + fingerprint(mel)),
        cache_(std::move(cache)) {}

  Sample decode(int64_t index) const override {
    const auto id = cache_ ? content_id(index) : "";
    if (id.empty()) return compute(index);
    const auto key = id + '\n' + parameters_;
    if (auto found = cache_->find(key)) return std::move(*found);
    auto features = compute(index);
    cache_->store(key, features);
    return features;
  }

 private:
  Features compute(int64_t index) const {
    Features features;
    pool_.compute(std::get<Clip>(base().decode(index)), features);
    return features;
  }

  mutable LogMelPool pool_;
  std::string parameters_;
  FeatureCachePtr cache_;
};

}  // namespace

DatasetPtr spectrograms_of(DatasetPtr clips, const MelOptions& mel, FeatureCachePtr cache) {
  return std::make_shared<Spectrograms>(std::move(clips), mel, std::move(cache));
}

}  // namespace projnce
