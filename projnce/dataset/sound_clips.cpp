#include "projnce/dataset/sound_clips.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "projnce/augment/sound/clip_length.h"
#include "projnce/core/error.h"
#include "projnce/io/wav_writer.h"

namespace projnce {

namespace {

/// Where the `length` consecutive samples with the highest energy begin.
size_t loudest_start(const std::vector<float>& samples, size_t length) {
  const auto energy = [&](size_t i) { return double(samples[i]) * double(samples[i]); };
  double sum = 0;
  for (size_t i = 0; i < length; ++i) sum += energy(i);
  double most = sum;
  size_t start = 0;
  for (size_t i = length; i < samples.size(); ++i) {
    sum += energy(i) - energy(i - length);
    if (sum > most) {
      most = sum;
      start = i + 1 - length;
    }
  }
  return start;
}

void scale_to_full_volume(std::vector<float>& samples) {
  constexpr float kSilence = 1e-4F;
  constexpr float kFull = 0.9F;
  float peak = 0;
  for (const float value : samples) peak = std::max(peak, std::abs(value));
  if (peak < kSilence) return;
  for (float& value : samples) value *= kFull / peak;
}

}  // namespace

SoundClip make_sound_clip(const Clip& sound) {
  if (sound.samples.empty() || sound.rate <= 0) return {};
  const double whole = double(sound.samples.size()) / sound.rate;
  auto piece = sound.rate > kClipRate ? resample_clip(sound, kClipRate) : sound;
  const auto most = static_cast<size_t>(kLongestClipSeconds * piece.rate);
  if (piece.samples.size() > most) {
    const auto start = static_cast<ptrdiff_t>(loudest_start(piece.samples, most));
    piece.samples = {piece.samples.begin() + start,
                     piece.samples.begin() + start + static_cast<ptrdiff_t>(most)};
  }
  scale_to_full_volume(piece.samples);
  return {.wav = encode_wav(piece),
          .seconds = double(piece.samples.size()) / piece.rate,
          .whole_seconds = whole};
}

std::vector<SoundClip> make_sound_clips(const Dataset& dataset, const std::vector<int64_t>& samples,
                                        size_t bytes) {
  if (dataset.kind() != SampleKind::kSound) return {};
  std::vector<SoundClip> clips(samples.size());
  size_t used = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    try {
      const auto sample = dataset.decode(samples[i]);
      const auto* sound = std::get_if<Clip>(&sample);
      if (sound == nullptr) return {};
      auto clip = make_sound_clip(*sound);
      used += clip.wav.size();
      if (used > bytes) break;
      clips[i] = std::move(clip);
    } catch (const Error& error) {
      if (error.fault() != Fault::kInput) throw;
    }
  }
  return clips;
}

std::string clip_length_text(const SoundClip& clip) {
  const bool cut = clip.whole_seconds > clip.seconds + 0.05;
  return cut ? fmt::format("{:.1f} of {:.1f} s", clip.seconds, clip.whole_seconds)
             : fmt::format("{:.1f} s", clip.seconds);
}

}  // namespace projnce
