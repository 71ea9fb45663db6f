#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "projnce/kernel/conv/convolution.h"

namespace projnce::testing {

/// Offset of an element in blocked feature maps.
inline size_t map_at(const kernel::ActivationShape& shape, int64_t image, int64_t channel,
                     int64_t y, int64_t x) {
  return static_cast<size_t>(shape.at(image, channel / kernel::kChannelBlock) +
                             (y * shape.width + x) * kernel::kChannelBlock +
                             channel % kernel::kChannelBlock);
}

/// Calls visit(image, channel, y, x) for every element of feature maps.
template <class Visit>
void for_numbers(const kernel::ActivationShape& shape, const Visit& visit) {
  for (int64_t n = 0; n < shape.images; ++n) {
    for (int64_t c = 0; c < shape.channels; ++c) {
      for (int64_t y = 0; y < shape.height; ++y) {
        for (int64_t x = 0; x < shape.width; ++x) visit(n, c, y, x);
      }
    }
  }
}

/// Random feature maps; padding channels are 0.
template <class T>
std::vector<T> random_maps(const kernel::ActivationShape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> maps(static_cast<size_t>(shape.size()), T(0));
  for_numbers(shape, [&](int64_t n, int64_t c, int64_t y, int64_t x) {
    maps[map_at(shape, n, c, y, x)] = static_cast<T>(normal(random));
  });
  return maps;
}

template <class T>
std::vector<T> random_numbers(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<T>(normal(random)));
  return numbers;
}

/// Largest difference, relative to the largest expected value.
template <class A, class B>
double relative_error(const std::vector<A>& found, const std::vector<B>& expected) {
  double error = 0;
  double most = 1e-30;
  for (size_t i = 0; i < expected.size(); ++i) {
    error = std::max(error, std::abs(double(found[i]) - double(expected[i])));
    most = std::max(most, std::abs(double(expected[i])));
  }
  return error / most;
}

/// Naive convolution and its gradients, in double.
struct PlainConvolution {
  std::vector<double> out, in_gradient, weight_gradient;

  template <class T>
  PlainConvolution(const kernel::ConvGeometry& g, const kernel::ActivationShape& in,
                   const std::vector<T>& maps, const std::vector<T>& weights,
                   const std::vector<T>& gradient)
      : out(static_cast<size_t>(g.out_shape(in).size())),
        in_gradient(maps.size()),
        weight_gradient(weights.size()) {
    const kernel::ActivationShape shape = g.out_shape(in);
    for_numbers(shape, [&](int64_t n, int64_t o, int64_t y, int64_t x) {
      const auto to = map_at(shape, n, o, y, x);
      for (int64_t tap = 0; tap < g.kernel * g.kernel; ++tap) {
        const int64_t row = y * g.stride + tap / g.kernel - g.padding();
        const int64_t column = x * g.stride + tap % g.kernel - g.padding();
        if (row < 0 || column < 0 || row >= in.height || column >= in.width) continue;
        for (int64_t i = 0; i < g.in_channels; ++i) {
          const auto from = map_at(in, n, i, row, column);
          const auto weight =
              static_cast<size_t>((o * g.kernel * g.kernel + tap) * g.in_channels + i);
          out[to] += double(maps[from]) * double(weights[weight]);
          in_gradient[from] += double(gradient[to]) * double(weights[weight]);
          weight_gradient[weight] += double(gradient[to]) * double(maps[from]);
        }
      }
    });
  }
};

}  // namespace projnce::testing
