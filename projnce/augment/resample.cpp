#include "projnce/augment/resample.h"

#include <algorithm>
#include <cmath>

#include "projnce/augment/pixel_loops.h"
#include "projnce/core/error.h"

namespace projnce {

namespace {

template <class T>
void grow(std::vector<T>& buffer, size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

}  // namespace

void check_image(const Image& image) {
  const bool shaped =
      image.height > 0 && image.width > 0 && (image.channels == 1 || image.channels == 3);
  const auto expected = static_cast<size_t>(image.height) * static_cast<size_t>(image.width) *
                        static_cast<size_t>(image.channels);
  if (shaped && image.pixels.size() == expected) return;
  fail("a picture has height ", image.height, ", width ", image.width, ", ", image.channels,
       " channels and ", image.pixels.size(),
       " bytes, expected at least one pixel, 1 or 3 channels and a byte for each value");
}

void Resampler::make_filter(const ResizeAxis& axis, Filter& filter) {
  const double ratio = static_cast<double>(axis.extent) / axis.resized;
  const double support = std::max(1.0, ratio);
  // No window holds more pixels than this, whatever its place.
  filter.taps = std::min(axis.extent, static_cast<int>(std::ceil(2 * support)));
  filter.first.resize(static_cast<size_t>(axis.count));
  filter.weight.resize(static_cast<size_t>(axis.count) * static_cast<size_t>(filter.taps));
  if (support == 1 && filter.taps == 2) {
    make_bilinear(axis, ratio, filter);
  } else {
    make_triangle(axis, ratio, support, filter);
  }
}

// The triangle of support 1 has a closed form; small pictures spend most of their time here.
void Resampler::make_bilinear(const ResizeAxis& axis, double ratio, Filter& filter) {
  const double last = axis.extent - 1;
  for (int i = 0; i < axis.count; ++i) {
    const double place = std::clamp((i + axis.offset + 0.5) * ratio - 0.5, 0.0, last);
    const int first = std::min(static_cast<int>(place), axis.extent - 2);
    const auto far = static_cast<float>(place - first);
    filter.first[static_cast<size_t>(i)] = first;
    filter.weight[static_cast<size_t>(2 * i)] = 1 - far;
    filter.weight[static_cast<size_t>(2 * i + 1)] = far;
  }
}

void Resampler::make_triangle(const ResizeAxis& axis, double ratio, double support,
                              Filter& filter) {
  for (int i = 0; i < axis.count; ++i) {
    const double centre = (i + axis.offset + 0.5) * ratio;
    const int low = std::max(0, static_cast<int>(std::floor(centre - support + 0.5)));
    const int first = std::min(low, axis.extent - filter.taps);
    const auto triangle = [&](int pixel) {
      return std::max(0.0, 1 - std::abs(pixel + 0.5 - centre) / support);
    };
    double total = 0;
    for (int k = 0; k < filter.taps; ++k) total += triangle(first + k);
    float* weight = filter.weight.data() + static_cast<ptrdiff_t>(i) * filter.taps;
    for (int k = 0; k < filter.taps; ++k) {
      weight[k] = static_cast<float>(triangle(first + k) / total);
    }
    filter.first[static_cast<size_t>(i)] = first;
  }
}

void Resampler::mirror_filter(Filter& filter) {
  std::reverse(filter.first.begin(), filter.first.end());
  const auto taps = static_cast<ptrdiff_t>(filter.taps);
  auto low = filter.weight.begin();
  for (auto high = filter.weight.end() - taps; low < high; low += taps, high -= taps) {
    std::swap_ranges(low, low + taps, high);
  }
}

void Resampler::filter_columns(const Image& source, const ResizeAxis& vertical,
                               const ResizeAxis& horizontal) {
  const AxisTaps taps{horizontal_.first.data(), horizontal_.weight.data(), horizontal_.taps,
                      horizontal.count};
  const auto channels = static_cast<size_t>(source.channels);
  const auto count = static_cast<size_t>(horizontal.count);
  const size_t length = static_cast<size_t>(horizontal.extent) * channels;
  grow(row_, length + kRowPadding);
  grow(pixels_, count * 4);
  narrow_.reshape(source.channels, vertical.extent, horizontal.count);

  for (int y = 0; y < vertical.extent; ++y) {
    const size_t pixel =
        static_cast<size_t>(vertical.start + y) * static_cast<size_t>(source.width) +
        static_cast<size_t>(horizontal.start);
    widen_bytes(source.pixels.data() + pixel * channels, length, row_.data());
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
  make_filter(vertical, vertical_);
  make_filter(horizontal, horizontal_);
  if (mirror == Mirror::kHorizontal) mirror_filter(horizontal_);
  filter_columns(source, vertical, horizontal);

  out.reshape(source.channels, vertical.count, horizontal.count);
  const AxisTaps taps{vertical_.first.data(), vertical_.weight.data(), vertical_.taps,
                      vertical.count};
  for (int c = 0; c < source.channels; ++c) {
    filter_rows(narrow_.plane(c), taps, horizontal.count, out.plane(c));
  }
}

}  // namespace projnce
