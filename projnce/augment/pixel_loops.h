#pragma once

#include <cstddef>
#include <cstdint>

namespace projnce::augment {

// Hot loops of augmentation on raw pointers, compiled for several instruction sets and dispatched
// at run time. Every loop is bit-identical on all of them.

/// Red, green and blue planes of `size` values each.
struct ColorPlanes {
  float* red;
  float* green;
  float* blue;
  size_t size;
};

/// One axis of a resize: output i is the sum over k of weight[i * taps + k] * input[first[i] + k].
struct AxisTaps {
  const int* first;
  const float* weight;
  int taps;
  int count;
};

/// Number of floats that `filter_row_color` reads beyond the last pixel of `row`.
inline constexpr int kRowPadding = 1;

/// Converts bytes to floats in 0..1.
void bytes_to_float(const uint8_t* bytes, size_t count, float* values);

/// Filters one row horizontally. A color row is interleaved; each output pixel has four floats, the
/// last of which is unspecified.
void filter_row_gray(const float* row, const AxisTaps& taps, float* out);
void filter_row_color(const float* row, const AxisTaps& taps, float* out);
/// Deinterleaves pixels of four floats into planes.
void split_pixels(const float* pixels, size_t count, float* red, float* green, float* blue);

/// Filters the rows of a plane vertically; writes taps.count rows of `width` values.
void filter_rows(const float* plane, const AxisTaps& taps, int width, float* out);

/// values <- clip(factor * values + offset, 0, 1)
void scale_and_clip(float* values, size_t count, float factor, float offset);
/// Mean of 0.299 R + 0.587 G + 0.114 B.
double mean_gray(const ColorPlanes& planes);
double mean_value(const float* values, size_t count);
/// gray <- 0.299 R + 0.587 G + 0.114 B; `gray` may be one of the planes.
void mix_gray(const ColorPlanes& planes, float* gray);
/// Each channel <- clip(factor * channel + (1 - factor) * gray).
void blend_with_gray(const ColorPlanes& planes, float factor);
/// Rotates the hue by `turns` of the color circle, in [0, 1).
void rotate_hue(const ColorPlanes& planes, float turns);

/// out[i] = values[i] * scale + shift
void standardize(const float* values, size_t count, float scale, float shift, float* out);
/// The same for three planes with interleaved output.
void standardize_interleaved(const float* const planes[3], size_t count, const float scale[3],
                             const float shift[3], float* out);

}  // namespace projnce::augment
