#include "projnce/augment/resample.h"

#include <algorithm>
#include <cmath>

#include "projnce/augment/pixel_loops.h"
#include "projnce/core/error.h"

namespace projnce::augment {

namespace {

template <class T>
void grow(std::vector<T>& buffer, size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

/// Adds noise, scaled like `values` to 0..1.
void add_noise(const int16_t* noise, size_t count, float* values) {
  for (size_t i = 0; i < count; ++i) values[i] += static_cast<float>(noise[i]) / 255;
}

/// Axis in coordinates relative to the first pixel it overlaps.
struct FilterRange {
  int base;      ///< position of that pixel in the source
  double lead;   ///< fraction of that pixel before the start
  double ratio;  ///< source pixels per output pixel
  double support;
  int low;   ///< first existing pixel
  int high;  ///< end of the existing pixels
};

FilterRange filter_range(const ResizeAxis& axis, int source_length) {
  const int base = static_cast<int>(std::floor(axis.start));
  const double lead = axis.start - base;
  const double ratio = axis.extent / axis.resized;
  const int touched = static_cast<int>(std::ceil(lead + axis.extent));
  const FilterRange range{base,
                          lead,
                          ratio,
                          std::max(1.0, ratio),
                          std::max(0, -base),
                          std::min(touched, source_length - base)};
  if (range.low >= range.high) {
    fail("a view of ", axis.extent, " pixels starting at ", axis.start,
         " lies outside an image of ", source_length);
  }
  return range;
}

// Closed form for a triangle of support 1, the hot path for small images.
void make_bilinear(const ResizeAxis& axis, const FilterRange& range, int* first, float* weight) {
  const double lowest = range.low;
  const double highest = range.high - 1;
  for (int i = 0; i < axis.count; ++i) {
    const double position =
        std::clamp((i + axis.offset + 0.5) * range.ratio - 0.5 + range.lead, lowest, highest);
    first[i] = std::min(static_cast<int>(position), range.high - 2);
    const auto far = static_cast<float>(position - first[i]);
    weight[2 * i] = 1 - far;
    weight[2 * i + 1] = far;
  }
}

void make_triangle(const ResizeAxis& axis, const FilterRange& range, int taps, int* first,
                   float* weight) {
  for (int i = 0; i < axis.count; ++i, weight += taps) {
    const double center = (i + axis.offset + 0.5) * range.ratio + range.lead;
    const int low = std::max(range.low, static_cast<int>(std::floor(center - range.support + 0.5)));
    first[i] = std::min(low, range.high - taps);
    const auto triangle = [&](int k) {
      return std::max(0.0, 1 - std::abs(first[i] + k + 0.5 - center) / range.support);
    };
    double total = 0;
    for (int k = 0; k < taps; ++k) total += triangle(k);
    for (int k = 0; k < taps; ++k) weight[k] = static_cast<float>(triangle(k) / total);
  }
}

}  // namespace

void check_image(const Image& image) {
  const bool shaped =
      image.height > 0 && image.width > 0 && (image.channels == 1 || image.channels == 3);
  const auto expected = static_cast<size_t>(image.height) * static_cast<size_t>(image.width) *
                        static_cast<size_t>(image.channels);
  const bool noise_fits = image.noise.empty() || image.noise.size() == expected;
  if (shaped && image.pixels.size() == expected && noise_fits) return;
  fail("an image has height ", image.height, ", width ", image.width, ", ", image.channels,
       " channels and ", image.pixels.size(),
       " bytes, expected at least one pixel, 1 or 3 channels and one byte per value");
}

void Resampler::make_filter(const ResizeAxis& axis, int source_length, Filter& filter) {
  const auto range = filter_range(axis, source_length);
  // Upper bound on the pixels in a window at any position.
  filter.taps = std::min(range.high - range.low, static_cast<int>(std::ceil(2 * range.support)));
  filter.first.resize(static_cast<size_t>(axis.count));
  filter.weight.resize(static_cast<size_t>(axis.count) * static_cast<size_t>(filter.taps));
  if (range.support == 1 && filter.taps == 2) {
    make_bilinear(axis, range, filter.first.data(), filter.weight.data());
  } else {
    make_triangle(axis, range, filter.taps, filter.first.data(), filter.weight.data());
  }
  // Positions are ascending.
  const int lowest = filter.first.front();
  filter.origin = range.base + lowest;
  filter.length = filter.first.back() - lowest + filter.taps;
  for (int& position : filter.first) position -= lowest;
}

void Resampler::mirror_filter(Filter& filter) {
  std::reverse(filter.first.begin(), filter.first.end());
  const auto taps = static_cast<ptrdiff_t>(filter.taps);
  auto low = filter.weight.begin();
  for (auto high = filter.weight.end() - taps; low < high; low += taps, high -= taps) {
    std::swap_ranges(low, low + taps, high);
  }
}

void Resampler::filter_columns(const Image& source) {
  const size_t count = horizontal_.first.size();
  const AxisTaps taps{horizontal_.first.data(), horizontal_.weight.data(), horizontal_.taps,
                      static_cast<int>(count)};
  const auto channels = static_cast<size_t>(source.channels);
  const size_t length = static_cast<size_t>(horizontal_.length) * channels;
  grow(row_, length + kRowPadding);
  grow(pixels_, count * 4);
  narrow_.reshape(source.channels, vertical_.length, static_cast<int>(count));

  for (int y = 0; y < vertical_.length; ++y) {
    const size_t pixel =
        static_cast<size_t>(vertical_.origin + y) * static_cast<size_t>(source.width) +
        static_cast<size_t>(horizontal_.origin);
    bytes_to_float(source.pixels.data() + pixel * channels, length, row_.data());
    if (!source.noise.empty())
      add_noise(source.noise.data() + pixel * channels, length, row_.data());
    const size_t target = static_cast<size_t>(y) * count;
    if (channels == 1) {
      filter_row_gray(row_.data(), taps, narrow_.plane(0) + target);
    } else {
      filter_row_color(row_.data(), taps, pixels_.data());
      split_pixels(pixels_.data(), count, narrow_.plane(0) + target, narrow_.plane(1) + target,
                   narrow_.plane(2) + target);
    }
  }
}

void Resampler::resize(const Image& source, const ResizeAxis& vertical,
                       const ResizeAxis& horizontal, Mirror mirror, FloatImage& out) {
  make_filter(vertical, source.height, vertical_);
  make_filter(horizontal, source.width, horizontal_);
  if (mirror == Mirror::kHorizontal) mirror_filter(horizontal_);
  filter_columns(source);

  out.reshape(source.channels, vertical.count, horizontal.count);
  const AxisTaps taps{vertical_.first.data(), vertical_.weight.data(), vertical_.taps,
                      vertical.count};
  for (int c = 0; c < source.channels; ++c) {
    filter_rows(narrow_.plane(c), taps, horizontal.count, out.plane(c));
  }
}

}  // namespace projnce::augment
