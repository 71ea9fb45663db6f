#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

namespace projnce {

/// A part of a image, in whole pixels.
struct PixelBox {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;

  bool operator==(const PixelBox&) const = default;
};

/// Which part of a larger image some pixels are. One of them stands for `reduction` x `reduction`
/// pixels of the full image; at its right and lower end, a box of whole such squares may reach
/// over the edge (or, of a image that was turned, at its left and upper end).
struct ImageWindow {
  int full_height = 0;
  int full_width = 0;
  PixelBox box = {};  ///< in the full image; its sides are those of the pixels x reduction
  int reduction = 1;

  bool operator==(const ImageWindow&) const = default;
};

/// A decoded image: bytes, rows from the top, channels interleaved (1 gray, 3 red green blue).
struct Image {
  int height = 0;
  int width = 0;
  int channels = 0;
  std::vector<uint8_t> pixels;             ///< height * width * channels
  std::optional<ImageWindow> window = {};  ///< none where these are all the pixels there are
  /// To be added to the pixels when views are made, where the sums leave 0..255; empty for none.
  std::vector<int16_t> noise = {};

  size_t bytes() const { return pixels.size() + noise.size() * sizeof(int16_t); }
  int full_height() const { return window ? window->full_height : height; }
  int full_width() const { return window ? window->full_width : width; }
};

/// What somebody is going to look at in a image.
struct DecodeRegion {
  PixelBox box;          ///< inside the image
  double reduction = 1;  ///< how many pixels, along each side, may become one; at least 1
};

/// Asked once the size of a image is known; the decoder may deliver more than the answer.
using RequiredRegion = std::function<DecodeRegion(int height, int width)>;

/// A piece of sound: one channel, values about -1 to 1.
struct Clip {
  int rate = 0;  ///< samples a second
  std::vector<float> samples;

  size_t bytes() const { return samples.size() * sizeof(float); }
};

/// Numbers that a model takes as they are, but for standardization: a spectrogram (1 channel, a row
/// for each band, a column for each moment) or a vector (a channel for each number, 1 x 1).
struct Features {
  int channels = 1;
  int height = 1;
  int width = 1;
  std::vector<float> values;  // channels * height * width

  size_t bytes() const { return values.size() * sizeof(float); }
};

/// What a dataset is made of.
using Sample = std::variant<Image, Clip, Features>;

enum class SampleKind { kImage, kSound, kVector };

/// What messages call one sample.
inline const char* kind_name(SampleKind kind) {
  if (kind == SampleKind::kImage) return "image";
  return kind == SampleKind::kSound ? "sound" : "vector";
}

inline size_t bytes_of(const Sample& sample) {
  return std::visit([](const auto& s) { return s.bytes(); }, sample);
}

}  // namespace projnce
