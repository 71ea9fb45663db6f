#include "projnce/dataset/inspect/sample_previews.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>

#include "projnce/augment/audio/clip_length.h"
#include "projnce/augment/audio/log_mel.h"
#include "projnce/augment/resample.h"
#include "projnce/core/error.h"
#include "projnce/dataset/wrappers/clips.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/io/audio/audio_file.h"

namespace projnce::dataset {

namespace {

constexpr int kOpaque = 255;
constexpr int kDrawnBands = 96;
constexpr int kDrawnFrame = 1024;  // FFT length in samples
/// Natural logarithm of the power ratio between the brightest and the darkest color: 60 dB.
constexpr float kDrawnRange = 13.8F;
/// Minimum reference level. Clips are drawn relative to their peak; quieter ones relative to this
/// level, so that silence, which is log(1e-6) everywhere, stays dark.
constexpr float kMinPeak = -13.8F + kDrawnRange;

using TileColor = std::array<float, 3>;

/// Color map of monotonically increasing brightness, readable without color.
TileColor color_of(float fraction) {
  constexpr std::array<TileColor, 6> kStops = {{{12, 10, 36},
                                                {58, 24, 102},
                                                {138, 36, 112},
                                                {214, 76, 74},
                                                {250, 157, 58},
                                                {252, 244, 186}}};
  const float position = std::clamp(fraction, 0.0F, 1.0F) * (kStops.size() - 1);
  const auto below = std::min(static_cast<size_t>(position), kStops.size() - 2);
  const float rest = position - static_cast<float>(below);
  TileColor color{};
  for (size_t c = 0; c < 3; ++c) {
    color[c] = kStops[below][c] + rest * (kStops[below + 1][c] - kStops[below][c]);
  }
  return color;
}

Image blank_tile(int size) {
  Image tile{size, size, 4, {}};
  tile.pixels.assign(static_cast<size_t>(size) * static_cast<size_t>(size) * 4, 0);
  return tile;
}

uint8_t* pixel_at(Image& tile, int row, int column) {
  return tile.pixels.data() + (static_cast<size_t>(row) * static_cast<size_t>(tile.width) +
                               static_cast<size_t>(column)) *
                                  4;
}

/// Copies an image to the center of a tile. REQUIRES: the image is not larger than the tile.
void draw_centered(const augment::FloatImage& image, Image& tile) {
  const int top = (tile.height - image.height()) / 2;
  const int left = (tile.width - image.width()) / 2;
  size_t source = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x, ++source) {
      auto* pixel = pixel_at(tile, top + y, left + x);
      for (int c = 0; c < 3; ++c) {
        const float value = image.plane(c % image.channels())[source];
        pixel[c] = static_cast<uint8_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255));
      }
      pixel[3] = kOpaque;
    }
  }
}

augment::ResizeAxis whole_axis(int extent, int resized) {
  return {.start = 0, .extent = double(extent), .resized = resized, .offset = 0, .count = resized};
}

Image shrink_into_tile(const Image& image, int size, int height, int width) {
  augment::Resampler resampler;
  augment::FloatImage resized;
  resampler.resize(image, whole_axis(image.height, height), whole_axis(image.width, width),
                   augment::Mirror::kNo, resized);
  auto tile = blank_tile(size);
  draw_centered(resized, tile);
  return tile;
}

/// Scales `extent` such that `longest`, the longer side, becomes `size`.
int scaled_side(int extent, int longest, int size) {
  return std::max(1, static_cast<int>(std::lround(double(extent) * size / longest)));
}

Image draw_image(const Image& image, int size) {
  const int longest = std::max(image.height, image.width);
  return shrink_into_tile(image, size, scaled_side(image.height, longest, size),
                          scaled_side(image.width, longest, size));
}

/// Renders a matrix with the color map, row 0 at the bottom if `upwards`.
Image color_table(const Features& table, float low, float high, bool upwards) {
  Image image{table.height, table.width, 3, {}};
  image.pixels.reserve(table.values.size() * 3);
  const auto width = static_cast<size_t>(table.width);
  for (int y = 0; y < table.height; ++y) {
    const auto row = static_cast<size_t>(upwards ? table.height - 1 - y : y);
    for (size_t x = 0; x < width; ++x) {
      const float value = table.values[row * width + x];
      for (const float part : color_of(high > low ? (value - low) / (high - low) : 0)) {
        image.pixels.push_back(static_cast<uint8_t>(std::lround(part)));
      }
    }
  }
  return image;
}

/// At least one column per pixel, with frames that cover the clip without gaps.
augment::MelOptions drawn_spectrogram(int size, const AudioDrawing& audio) {
  augment::MelOptions mel{.rate = audio.rate, .seconds = audio.seconds, .fft = kDrawnFrame};
  mel.mels = kDrawnBands;
  mel.hop = static_cast<int>(std::clamp<int64_t>(mel.samples() / size, 1, kDrawnFrame / 2));
  return mel;
}

Image draw_spectrogram(const Features& table, int size) {
  const float peak = *std::max_element(table.values.begin(), table.values.end());
  const float high = std::max(peak, kMinPeak);
  return shrink_into_tile(color_table(table, high - kDrawnRange, high, /*upwards=*/true), size,
                          size, size);
}

Image draw_audio(const Clip& clip, int size, const AudioDrawing& audio) {
  const auto mel = drawn_spectrogram(size, audio);
  Features table;
  augment::LogMel(mel).compute(augment::prepare_clip(clip, mel).samples, table);
  return draw_spectrogram(table, size);
}

Image draw_vector(const Features& vector, int size) {
  const auto [low, high] = std::minmax_element(vector.values.begin(), vector.values.end());
  const int side = std::max(1, static_cast<int>(std::ceil(std::sqrt(vector.values.size()))));
  Features table{1, side, side, vector.values};
  const float lowest = vector.values.empty() ? 0 : *low;
  const float highest = vector.values.empty() ? 0 : *high;
  table.values.resize(static_cast<size_t>(side) * static_cast<size_t>(side), lowest);
  return shrink_into_tile(color_table(table, lowest, highest, /*upwards=*/false), size, size, size);
}

}  // namespace

Image draw_tile(const Sample& sample, int size, const AudioDrawing& audio) {
  if (const auto* image = std::get_if<Image>(&sample)) return draw_image(*image, size);
  if (const auto* clip = std::get_if<Clip>(&sample)) return draw_audio(*clip, size, audio);
  const auto& features = std::get<Features>(sample);
  return features.height > 1 ? draw_spectrogram(features, size) : draw_vector(features, size);
}

Image corrupt_tile(int size) {
  constexpr std::array<uint8_t, 4> kGround = {200, 200, 200, kOpaque};
  constexpr std::array<uint8_t, 4> kCross = {150, 60, 60, kOpaque};
  auto tile = blank_tile(size);
  const int margin = size / 4;
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const bool near_a_diagonal = std::abs(x - y) <= 1 || std::abs(x + y - (size - 1)) <= 1;
      const bool inside = std::min({x, y, size - 1 - x, size - 1 - y}) >= margin;
      const auto& color = near_a_diagonal && inside ? kCross : kGround;
      std::copy(color.begin(), color.end(), pixel_at(tile, y, x));
    }
  }
  return tile;
}

std::string explain_tiles(SampleKind kind) {
  switch (kind) {
    case SampleKind::kAudio:
      return "Log-mel spectrograms: time runs to the right, low frequencies are at the bottom, "
             "bright is loud. ";
    case SampleKind::kVector:
      return "Vectors, row by row in a square, from minimum (dark) to maximum "
             "(bright). ";
    case SampleKind::kImage:
      break;
  }
  return {};
}

namespace {

constexpr int kLowestDrawnRate = 4000;
constexpr int kHighestDrawnRate = 16000;

/// Sampling rate of the first readable clip, within limits; std::nullopt if there is none or the
/// samples are spectrograms.
std::optional<int> drawn_rate(const Dataset& clips) {
  for (int64_t i = 0; i < std::min<int64_t>(clips.size(), 20); ++i) {
    try {
      const auto sample = clips.decode(i);
      const auto* clip = std::get_if<Clip>(&sample);
      if (clip == nullptr) return std::nullopt;
      return std::clamp(clip->rate, kLowestDrawnRate, kHighestDrawnRate);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
    }
  }
  return std::nullopt;
}

}  // namespace

AudioDrawing audio_drawing(const Dataset& dataset, double seconds) {
  AudioDrawing drawing;
  if (dataset.kind() != SampleKind::kAudio) return drawing;
  const auto rate = drawn_rate(dataset);
  if (!rate) return drawing;
  drawing.rate = *rate;
  try {
    drawing.seconds = seconds > 0 ? seconds : typical_seconds(dataset);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput)
      throw;  // the probed clips are unreadable: keep the default length
  }
  return drawing;
}

std::vector<Image> draw_samples(const DatasetPtr& dataset, const std::vector<int64_t>& samples,
                                int size, const AudioDrawing& audio,
                                const DecodeAllOptions& decoding) {
  std::vector<Image> tiles(samples.size());
  const SubsetDataset chosen(dataset, samples);
  const auto corrupt = decode_all(chosen, decoding, [&](int64_t index, Sample&& sample) {
    tiles.at(static_cast<size_t>(index)) = draw_tile(sample, size, audio);
  });
  for (const auto& sample : corrupt)
    tiles.at(static_cast<size_t>(sample.index)) = corrupt_tile(size);
  return tiles;
}

namespace {

/// Start of the `length` consecutive samples with the highest energy.
size_t loudest_start(const std::vector<float>& samples, size_t length) {
  const auto energy = [&](size_t i) { return double(samples[i]) * double(samples[i]); };
  double sum = 0;
  for (size_t i = 0; i < length; ++i) sum += energy(i);
  double max_energy = sum;
  size_t start = 0;
  for (size_t i = length; i < samples.size(); ++i) {
    sum += energy(i) - energy(i - length);
    if (sum > max_energy) {
      max_energy = sum;
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

AudioExcerpt make_audio_excerpt(const Clip& audio) {
  if (audio.samples.empty() || audio.rate <= 0) return {};
  const double whole = double(audio.samples.size()) / audio.rate;
  auto excerpt = audio.rate > kClipRate ? augment::resample_clip(audio, kClipRate) : audio;
  const auto max_samples = static_cast<size_t>(kMaxClipSeconds * excerpt.rate);
  if (excerpt.samples.size() > max_samples) {
    const auto start = static_cast<ptrdiff_t>(loudest_start(excerpt.samples, max_samples));
    excerpt.samples = {excerpt.samples.begin() + start,
                       excerpt.samples.begin() + start + static_cast<ptrdiff_t>(max_samples)};
  }
  scale_to_full_volume(excerpt.samples);
  return {.wav = io::encode_wav(excerpt),
          .seconds = double(excerpt.samples.size()) / excerpt.rate,
          .whole_seconds = whole};
}

std::vector<AudioExcerpt> make_audio_excerpts(const Dataset& dataset,
                                              const std::vector<int64_t>& samples, size_t bytes) {
  if (dataset.kind() != SampleKind::kAudio) return {};
  std::vector<AudioExcerpt> clips(samples.size());
  size_t used = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    try {
      const auto sample = dataset.decode(samples[i]);
      const auto* audio = std::get_if<Clip>(&sample);
      if (audio == nullptr) return {};
      auto clip = make_audio_excerpt(*audio);
      used += clip.wav.size();
      if (used > bytes) break;
      clips[i] = std::move(clip);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
    }
  }
  return clips;
}

std::string clip_length_text(const AudioExcerpt& clip) {
  const bool cut = clip.whole_seconds > clip.seconds + 0.05;
  return cut ? fmt::format("{:.1f} of {:.1f} s", clip.seconds, clip.whole_seconds)
             : fmt::format("{:.1f} s", clip.seconds);
}

}  // namespace projnce::dataset
