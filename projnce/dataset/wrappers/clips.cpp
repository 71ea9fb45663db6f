#include "projnce/dataset/wrappers/clips.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "projnce/augment/audio/clip_length.h"
#include "projnce/augment/audio/log_mel.h"
#include "projnce/core/error.h"

namespace projnce::dataset {

namespace {

constexpr int64_t kProbedClips = 200;
constexpr double kMaxTypicalSeconds = 10;

class PreparedClips : public DatasetWrapper {
 public:
  PreparedClips(DatasetPtr clips, const ClipFormat& format)
      : DatasetWrapper(std::move(clips)), format_(format) {}

  Sample decode(int64_t index) const override {
    const auto clip = std::get<Clip>(base().decode(index));
    if (format_.seconds == 0) return augment::resample_clip(clip, format_.rate);
    return augment::prepare_clip(clip, {.rate = format_.rate, .seconds = format_.seconds});
  }

 private:
  ClipFormat format_;
};

/// Lengths in ascending order; clips that cannot be decoded are skipped.
std::vector<double> probe_lengths(const Dataset& clips, int64_t probed) {
  const int64_t count = std::min(clips.size(), probed);
  std::vector<double> lengths;
  for (int64_t i = 0; i < count; ++i) {
    try {
      const auto clip = std::get<Clip>(clips.decode(i * clips.size() / count));
      lengths.push_back(static_cast<double>(clip.samples.size()) / clip.rate);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
    }
  }
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

}  // namespace

DatasetPtr prepare_clips(DatasetPtr clips, const ClipFormat& format) {
  return std::make_shared<PreparedClips>(std::move(clips), format);
}

double median_seconds(const Dataset& clips, int64_t probed) {
  const auto lengths = probe_lengths(clips, probed);
  return lengths.empty() ? 0 : lengths[lengths.size() / 2];
}

double typical_seconds(const Dataset& clips) {
  const auto lengths = probe_lengths(clips, kProbedClips);
  if (lengths.empty()) fail("none of the probed clips of the dataset can be read");
  const double percentile = lengths[(lengths.size() - 1) * 19 / 20];
  return std::clamp(std::ceil(percentile * 10 - 1e-6) / 10, 0.1, kMaxTypicalSeconds);
}

namespace {

/// Pool of idle front ends, which own reusable tables and buffers.
class LogMelPool {
 public:
  explicit LogMelPool(const augment::MelOptions& options) : options_(options) {}

  void compute(const Clip& clip, Features& out) {
    auto front_end = take();
    front_end->compute(clip.samples, out);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(front_end));
  }

 private:
  std::unique_ptr<augment::LogMel> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto front_end = std::move(idle_.back());
        idle_.pop_back();
        return front_end;
      }
    }
    return std::make_unique<augment::LogMel>(options_);
  }

  augment::MelOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<augment::LogMel>> idle_;
};

class Spectrograms : public DatasetWrapper {
 public:
  Spectrograms(DatasetPtr clips, const augment::MelOptions& mel, FeatureCachePtr cache)
      : DatasetWrapper(std::move(clips)),
        pool_(mel),
        parameters_("log-mel 1 " + augment::fingerprint(mel)),
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

DatasetPtr to_spectrograms(DatasetPtr clips, const augment::MelOptions& mel,
                           FeatureCachePtr cache) {
  return std::make_shared<Spectrograms>(std::move(clips), mel, std::move(cache));
}

}  // namespace projnce::dataset
