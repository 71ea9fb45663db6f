#include "projnce/augment/audio/clip_length.h"

#include <samplerate.h>

#include <algorithm>
#include <cmath>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"

namespace projnce::augment {

namespace {

constexpr double kMaxResampledLength = 1e8;

void check_clip(const Clip& clip) {
  if (clip.samples.empty()) fail("a clip without samples cannot be resampled or padded");
  if (clip.rate < 1) fail("a clip has sampling rate ", clip.rate, ", expected at least 1");
}

std::vector<float> resample(const std::vector<float>& samples, double ratio, int64_t wanted) {
  // A few extra samples: the converter rounds the output length in its own way.
  constexpr int64_t kSlack = 16;
  std::vector<float> result(static_cast<size_t>(wanted + kSlack));
  SRC_DATA data{};
  data.data_in = samples.data();
  data.input_frames = static_cast<long>(samples.size());
  data.data_out = result.data();
  data.output_frames = static_cast<long>(result.size());
  data.src_ratio = ratio;
  const int error = src_simple(&data, SRC_SINC_MEDIUM_QUALITY, 1);
  if (error != 0) fail("a clip cannot be resampled: ", src_strerror(error));
  result.resize(static_cast<size_t>(std::min<int64_t>(data.output_frames_gen, wanted)));
  result.resize(static_cast<size_t>(wanted));
  return result;
}

}  // namespace

Clip resample_clip(const Clip& clip, int rate) {
  check_clip(clip);
  if (clip.rate == rate) return clip;
  const double ratio = static_cast<double>(rate) / clip.rate;
  const double length = std::round(static_cast<double>(clip.samples.size()) * ratio);
  if (src_is_valid_ratio(ratio) == 0 || length > kMaxResampledLength) {
    fail("a clip of ", counted(clip.samples.size(), "sample"), " cannot be resampled from ",
         clip.rate, " to ", rate, " Hz: the factor must be at most 256 and the result at most ",
         static_cast<int64_t>(kMaxResampledLength), " samples");
  }
  const auto wanted = std::max<int64_t>(1, static_cast<int64_t>(length));
  return {.rate = rate, .samples = resample(clip.samples, ratio, wanted)};
}

Clip fit_length(const Clip& clip, int64_t samples) {
  const auto size = std::ssize(clip.samples);
  Clip fitted{.rate = clip.rate, .samples = std::vector<float>(static_cast<size_t>(samples))};
  const int64_t kept = std::min(size, samples);
  std::copy_n(clip.samples.begin() + (size - kept) / 2, kept,
              fitted.samples.begin() + (samples - kept) / 2);
  return fitted;
}

Clip prepare_clip(const Clip& clip, const MelOptions& options) {
  check_clip(clip);
  const int64_t wanted = options.samples();
  // The filter reads neighboring samples: keep a margin that exceeds all of its lengths.
  constexpr double kMargin = 1000;
  const double spacing = std::max(1.0, static_cast<double>(clip.rate) / options.rate);
  const double own_length = static_cast<double>(wanted) * clip.rate / options.rate;
  const auto needed = static_cast<int64_t>(std::ceil(own_length + 2 * kMargin * spacing));
  if (std::ssize(clip.samples) <= needed) {
    return fit_length(resample_clip(clip, options.rate), wanted);
  }
  return fit_length(resample_clip(fit_length(clip, needed), options.rate), wanted);
}

}  // namespace projnce::augment
