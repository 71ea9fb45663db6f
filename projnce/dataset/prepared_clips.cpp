#include "projnce/dataset/prepared_clips.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "projnce/augment/sound/clip_length.h"
#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr int64_t kClipsLookedAt = 200;
constexpr double kLongestGuess = 10;

class PreparedClips : public DatasetWrapper {
 public:
  PreparedClips(DatasetPtr clips, const ClipFormat& format)
      : DatasetWrapper(std::move(clips)), format_(format) {}

  Sample decode(int64_t index) const override {
    const auto clip = std::get<Clip>(base().decode(index));
    if (format_.seconds == 0) return resample_clip(clip, format_.rate);
    return prepare_clip(clip, {.rate = format_.rate, .seconds = format_.seconds});
  }

 private:
  ClipFormat format_;
};

/// In ascending order; sounds that do not decode are left out.
std::vector<double> probe_lengths(const Dataset& clips, int64_t probed) {
  const int64_t count = std::min(clips.size(), probed);
  std::vector<double> lengths;
  for (int64_t i = 0; i < count; ++i) {
    try {
      const auto clip = std::get<Clip>(clips.decode(i * clips.size() / count));
      lengths.push_back(static_cast<double>(clip.samples.size()) / clip.rate);
    } catch (const Error& error) {
      if (error.fault() != Fault::kInput) throw;
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
  const auto lengths = probe_lengths(clips, kClipsLookedAt);
  if (lengths.empty()) fail("no sound of the dataset that was looked at can be read");
  const double most = lengths[(lengths.size() - 1) * 19 / 20];
  return std::clamp(std::ceil(most * 10 - 1e-6) / 10, 0.1, kLongestGuess);
}

}  // namespace projnce
