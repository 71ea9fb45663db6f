#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

namespace projnce {

/// A rectangle of an image, in pixels.
struct PixelBox {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;

  bool operator==(const PixelBox&) const = default;
};

/// Location of a partially decoded image within the full image. Each decoded pixel covers
/// `reduction` x `reduction` pixels of the full image. The box consists of whole such squares, so
/// it may extend beyond the right and bottom edges (for a rotated image: the left and top edges).
struct ImageWindow {
  int full_height = 0;
  int full_width = 0;
  PixelBox box = {};  ///< in full-image coordinates; sides = decoded sides x reduction
  int reduction = 1;

  bool operator==(const ImageWindow&) const = default;
};

/// A decoded image: 8-bit, rows from top to bottom, interleaved channels (1: gray, 3: RGB).
struct Image {
  int height = 0;
  int width = 0;
  int channels = 0;
  std::vector<uint8_t> pixels;             ///< height * width * channels
  std::optional<ImageWindow> window = {};  ///< set if `pixels` covers only a part of the image
  /// Noise to add to the pixels when views are made; the sums may exceed 0..255. Empty for none.
  std::vector<int16_t> noise = {};

  size_t bytes() const { return pixels.size() + noise.size() * sizeof(int16_t); }
  int full_height() const { return window ? window->full_height : height; }
  int full_width() const { return window ? window->full_width : width; }
};

/// Region of an image that a transform reads.
struct DecodeRegion {
  PixelBox box;          ///< inside the image
  double reduction = 1;  ///< allowed downsampling factor per side; at least 1
};

/// Returns the required region, given the image size. The decoder may deliver more.
using RequiredRegion = std::function<DecodeRegion(int height, int width)>;

/// A mono audio clip with values in about [-1, 1].
struct Clip {
  int rate = 0;  ///< sampling rate in Hz
  std::vector<float> samples;

  size_t bytes() const { return samples.size() * sizeof(float); }
};

/// Values that are fed to the model after standardization only: a spectrogram (1 channel, rows are
/// frequency bands, columns are frames) or a vector (channels are its components, 1 x 1).
struct Features {
  int channels = 1;
  int height = 1;
  int width = 1;
  std::vector<float> values;  // channels * height * width

  size_t bytes() const { return values.size() * sizeof(float); }
};

/// A sample of a dataset.
using Sample = std::variant<Image, Clip, Features>;

enum class SampleKind { kImage, kAudio, kVector };

/// Returns the noun for one sample in messages.
inline const char* kind_name(SampleKind kind) {
  if (kind == SampleKind::kImage) return "image";
  return kind == SampleKind::kAudio ? "audio clip" : "vector";
}

inline size_t bytes_of(const Sample& sample) {
  return std::visit([](const auto& s) { return s.bytes(); }, sample);
}

}  // namespace projnce
