#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "projnce/core/image.h"

namespace projnce {

/// A piece of sound: one channel, values about -1 to 1.
struct Clip {
  int rate = 0;  ///< samples a second
  std::vector<float> samples;

  size_t bytes() const { return samples.size() * sizeof(float); }
};

/// Numbers that a model takes as they are, but for standardisation: a spectrogram (1 channel, a row
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
inline const char* word_for(SampleKind kind) {
  if (kind == SampleKind::kImage) return "picture";
  return kind == SampleKind::kSound ? "sound" : "vector";
}

inline size_t bytes_of(const Sample& sample) {
  return std::visit([](const auto& s) { return s.bytes(); }, sample);
}

}  // namespace projnce
