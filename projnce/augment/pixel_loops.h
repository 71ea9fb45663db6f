#pragma once

#include <cstddef>
#include <cstdint>

namespace projnce::augment {

// The hot loops of augmentation on plain pointers: the one place that is compiled for several CPUs
// and picked at run time. Every loop gives the same bits on each of them.

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

/// Spare floats that `filter_row_color` reads behind the last pixel of `row`.
inline constexpr int kRowPadding = 1;

/// Bytes to 0..1.
void widen_bytes(const uint8_t* bytes, size_t count, float* values);

/// Filters one row along its length. A colored row is interleaved, and each of its pixels comes
/// out as four floats, the last of which means nothing.
void filter_row_gray(const float* row, const AxisTaps& taps, float* out);
void filter_row_color(const float* row, const AxisTaps& taps, float* out);
/// Pixels of four floats to planes.
void split_pixels(const float* pixels, size_t count, float* red, float* green, float* blue);

/// Filters the rows of a plane against each other: taps.count rows of `width` values come out.
void filter_rows(const float* plane, const AxisTaps& taps, int width, float* out);

/// values <- clip(factor * values + offset) to 0..1
void scale_and_clip(float* values, size_t count, float factor, float offset);
/// Mean of 0.299 R + 0.587 G + 0.114 B.
double mean_gray(const ColorPlanes& planes);
double mean_value(const float* values, size_t count);
/// gray <- 0.299 R + 0.587 G + 0.114 B; `gray` may be one of the planes.
void mix_gray(const ColorPlanes& planes, float* gray);
/// Each channel <- clip(factor * channel + (1 - factor) * gray).
void blend_with_gray(const ColorPlanes& planes, float factor);
/// Turns the hue by `turns`, in 0..1 of the color circle.
void rotate_hue(const ColorPlanes& planes, float turns);

/// out[i] = values[i] * scale + shift
void standardize(const float* values, size_t count, float scale, float shift, float* out);
/// The same for three planes with results interleaved.
void standardize_interleaved(const float* const planes[3], size_t count, const float scale[3],
                             const float shift[3], float* out);

}  // namespace projnce::augment
