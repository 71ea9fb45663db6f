#include "projnce/dataset/draw_samples.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "projnce/core/error.h"
#include "projnce/dataset/prepared_clips.h"
#include "projnce/dataset/subset.h"

namespace projnce {

namespace {

constexpr int kLowestDrawnRate = 4000;
constexpr int kHighestDrawnRate = 16000;

/// The rate of the first sound that can be read, within limits; nothing where none can be or they
/// come as spectrograms.
std::optional<int> drawn_rate(const Dataset& sounds) {
  for (int64_t i = 0; i < std::min<int64_t>(sounds.size(), 20); ++i) {
    try {
      const auto sample = sounds.decode(i);
      const auto* clip = std::get_if<Clip>(&sample);
      if (clip == nullptr) return std::nullopt;
      return std::clamp(clip->rate, kLowestDrawnRate, kHighestDrawnRate);
    } catch (const Error& error) {
      if (error.fault() != Fault::kInput) throw;
    }
  }
  return std::nullopt;
}

}  // namespace

SoundDrawing sound_drawing(const Dataset& dataset, double seconds) {
  SoundDrawing drawing;
  if (dataset.kind() != SampleKind::kSound) return drawing;
  const auto rate = drawn_rate(dataset);
  if (!rate) return drawing;
  drawing.rate = *rate;
  try {
    drawing.seconds = seconds > 0 ? seconds : typical_seconds(dataset);
  } catch (const Error& error) {
    if (error.fault() != Fault::kInput)
      throw;  // those looked at cannot be read: any length will do
  }
  return drawing;
}

std::vector<Image> draw_samples(const DatasetPtr& dataset, const std::vector<int64_t>& samples,
                                int size, const SoundDrawing& sound,
                                const DecodeAllOptions& decoding) {
  std::vector<Image> tiles(samples.size());
  const SubsetDataset chosen(dataset, samples);
  const auto damaged = decode_all(chosen, decoding, [&](int64_t index, Sample&& sample) {
    tiles.at(static_cast<size_t>(index)) = draw_tile(sample, size, sound);
  });
  for (const auto& sample : damaged)
    tiles.at(static_cast<size_t>(sample.index)) = damaged_tile(size);
  return tiles;
}

}  // namespace projnce
