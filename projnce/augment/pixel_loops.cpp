#include "projnce/augment/pixel_loops.h"

#include <algorithm>
#include <cstring>

#include "projnce/core/cpu_clones.h"

namespace projnce::augment {

namespace {

constexpr float kRed = 0.299F;
constexpr float kGreen = 0.587F;
constexpr float kBlue = 0.114F;

inline float gray_of(float red, float green, float blue) {
  return kRed * red + kGreen * green + kBlue * blue;
}

inline float clip(float value) {
  return std::min(1.0F, std::max(0.0F, value));
}

/// Sums in a fixed order that is independent of the vector length: blocks are reduced by halving in
/// float, and their sums are added in double.
template <class Value>
[[gnu::always_inline]] inline double sum_in_blocks(size_t count, const Value& value) {
  constexpr size_t kBlock = 256;
  float block[kBlock];
  double total = 0;
  for (size_t start = 0; start < count; start += kBlock) {
    const size_t filled = std::min(kBlock, count - start);
    for (size_t i = 0; i < filled; ++i) block[i] = value(start + i);
    std::fill(block + filled, block + kBlock, 0.0F);
    for (size_t half = kBlock / 2; half >= 8; half /= 2) {
      for (size_t i = 0; i < half; ++i) block[i] += block[i + half];
    }
    for (size_t i = 0; i < 8; ++i) total += block[i];
  }
  return total;
}

/// Value of one channel of the color with maximum `top`, chroma `chroma` and hue `sixths` (in
/// sixths of the circle, plus the offset of the channel): a trapezoid. REQUIRES: 0 <= sixths < 18.
inline float channel_at(float sixths, float top, float chroma) {
  float k = sixths >= 12 ? sixths - 12 : sixths;
  k = k >= 6 ? k - 6 : k;
  return top - chroma * clip(std::min(k, 4 - k));
}

/// An RGB pixel and an unused fourth lane: one vector is faster than three scalars.
using Pixel = float __attribute__((vector_size(16)));

inline Pixel load_pixel(const float* values) {
  Pixel pixel;
  std::memcpy(&pixel, values, sizeof(pixel));
  return pixel;
}

constexpr int kAnyTaps = 0;

/// A compile-time number of taps allows a branch-free loop.
template <int kTaps>
[[gnu::always_inline]] inline void filter_colors(const float* __restrict row, const AxisTaps& axis,
                                                 float* __restrict out) {
  const int taps = kTaps == kAnyTaps ? axis.taps : kTaps;
  const int* __restrict first = axis.first;
  const float* __restrict weight = axis.weight;
  const int count = axis.count;
  for (int x = 0; x < count; ++x, weight += taps, out += 4) {
    const float* in = row + 3 * first[x];
    Pixel sum = weight[0] * load_pixel(in);
    for (int k = 1; k < taps; ++k) sum += weight[k] * load_pixel(in + 3 * k);
    std::memcpy(out, &sum, sizeof(sum));
  }
}

}  // namespace

PROJNCE_CPU_CLONES
void bytes_to_float(const uint8_t* __restrict bytes, size_t count, float* __restrict values) {
  constexpr float kScale = 1.0F / 255.0F;
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(bytes[i]) * kScale;
}

PROJNCE_CPU_CLONES
void filter_row_gray(const float* row, const AxisTaps& taps, float* out) {
  const int count = taps.count;
  if (taps.taps == 2) {
    for (int x = 0; x < count; ++x) {
      const float* in = row + taps.first[x];
      out[x] = taps.weight[2 * x] * in[0] + taps.weight[2 * x + 1] * in[1];
    }
    return;
  }
  for (int x = 0; x < count; ++x) {
    const float* in = row + taps.first[x];
    const float* weight = taps.weight + static_cast<ptrdiff_t>(x) * taps.taps;
    float sum = 0;
    for (int k = 0; k < taps.taps; ++k) sum += weight[k] * in[k];
    out[x] = sum;
  }
}

PROJNCE_CPU_CLONES
void filter_row_color(const float* __restrict row, const AxisTaps& taps, float* __restrict out) {
  switch (taps.taps) {
    case 2:
      return filter_colors<2>(row, taps, out);
    case 3:
      return filter_colors<3>(row, taps, out);
    case 4:
      return filter_colors<4>(row, taps, out);
    case 5:
      return filter_colors<5>(row, taps, out);
    case 6:
      return filter_colors<6>(row, taps, out);
    default:
      return filter_colors<kAnyTaps>(row, taps, out);
  }
}

PROJNCE_CPU_CLONES
void split_pixels(const float* __restrict pixels, size_t count, float* __restrict red,
                  float* __restrict green, float* __restrict blue) {
  for (size_t i = 0; i < count; ++i) {
    red[i] = pixels[4 * i];
    green[i] = pixels[4 * i + 1];
    blue[i] = pixels[4 * i + 2];
  }
}

PROJNCE_CPU_CLONES
void filter_rows(const float* __restrict plane, const AxisTaps& taps, int width,
                 float* __restrict out) {
  for (int y = 0; y < taps.count; ++y) {
    const float* in = plane + static_cast<ptrdiff_t>(taps.first[y]) * width;
    const float* weight = taps.weight + static_cast<ptrdiff_t>(y) * taps.taps;
    float* target = out + static_cast<ptrdiff_t>(y) * width;
    if (taps.taps == 2) {
      const float near = weight[0];
      const float far = weight[1];
      for (int x = 0; x < width; ++x) target[x] = near * in[x] + far * in[x + width];
      continue;
    }
    for (int x = 0; x < width; ++x) target[x] = weight[0] * in[x];
    for (int k = 1; k < taps.taps; ++k) {
      in += width;
      for (int x = 0; x < width; ++x) target[x] += weight[k] * in[x];
    }
  }
}

PROJNCE_CPU_CLONES
void scale_and_clip(float* values, size_t count, float factor, float offset) {
  for (size_t i = 0; i < count; ++i) values[i] = clip(factor * values[i] + offset);
}

PROJNCE_CPU_CLONES
double mean_gray(const ColorPlanes& planes) {
  const auto gray = [red = planes.red, green = planes.green, blue = planes.blue](size_t i) {
    return gray_of(red[i], green[i], blue[i]);
  };
  return sum_in_blocks(planes.size, gray) / static_cast<double>(planes.size);
}

PROJNCE_CPU_CLONES
double mean_value(const float* values, size_t count) {
  return sum_in_blocks(count, [=](size_t i) { return values[i]; }) / static_cast<double>(count);
}

PROJNCE_CPU_CLONES
void mix_gray(const ColorPlanes& planes, float* gray) {
  const auto [red, green, blue, size] = planes;
  for (size_t i = 0; i < size; ++i) gray[i] = gray_of(red[i], green[i], blue[i]);
}

PROJNCE_CPU_CLONES
void blend_with_gray(const ColorPlanes& planes, float factor) {
  const auto [red, green, blue, size] = planes;
  for (size_t i = 0; i < size; ++i) {
    const float gray = (1 - factor) * gray_of(red[i], green[i], blue[i]);
    red[i] = clip(factor * red[i] + gray);
    green[i] = clip(factor * green[i] + gray);
    blue[i] = clip(factor * blue[i] + gray);
  }
}

PROJNCE_CPU_CLONES
void rotate_hue(const ColorPlanes& planes, float turns) {
  const auto [red, green, blue, size] = planes;
  const float shift = 6 * turns;
  for (size_t i = 0; i < size; ++i) {
    const float r = red[i];
    const float g = green[i];
    const float b = blue[i];
    const float top = std::max(r, std::max(g, b));
    const float chroma = top - std::min(r, std::min(g, b));
    // Without chroma, all differences are 0 and the hue is irrelevant.
    const float scale = 1 / (chroma > 0 ? chroma : 1);
    const float by_blue = (r - g) * scale + 4;
    const float by_green = (b - r) * scale + 2;
    const float by_red = (g - b) * scale;
    float hue = top == g ? by_green : by_blue;
    hue = top == r ? by_red : hue;  // in -1 .. 5
    hue += shift;
    red[i] = channel_at(hue + 5, top, chroma);
    green[i] = channel_at(hue + 3, top, chroma);
    blue[i] = channel_at(hue + 1, top, chroma);
  }
}

PROJNCE_CPU_CLONES
void standardize(const float* values, size_t count, float scale, float shift, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = values[i] * scale + shift;
}

PROJNCE_CPU_CLONES
void standardize_interleaved(const float* const planes[3], size_t count, const float scale[3],
                             const float shift[3], float* out) {
  const float* red = planes[0];
  const float* green = planes[1];
  const float* blue = planes[2];
  const float scales[3] = {scale[0], scale[1], scale[2]};
  const float shifts[3] = {shift[0], shift[1], shift[2]};
  for (size_t i = 0; i < count; ++i) {
    out[3 * i] = red[i] * scales[0] + shifts[0];
    out[3 * i + 1] = green[i] * scales[1] + shifts[1];
    out[3 * i + 2] = blue[i] * scales[2] + shifts[2];
  }
}

}  // namespace projnce::augment
