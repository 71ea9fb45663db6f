#include "projnce/kernel/conv/convolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/kernel/map_loops.h"
#include "tests/kernel/threads.h"
#include "tests/support/kernel_variants.h"

namespace projnce::testing {
namespace {

using namespace kernel;

struct Layer {
  ConvGeometry geometry;
  ActivationShape in;
};

std::string name_of(const Layer& layer) {
  const auto& g = layer.geometry;
  return std::to_string(g.in_channels) + " to " + std::to_string(g.out_channels) + ", kernel " +
         std::to_string(g.kernel) + ", stride " + std::to_string(g.stride) + ", " +
         std::to_string(layer.in.images) + " x " + std::to_string(layer.in.height) + " x " +
         std::to_string(layer.in.width);
}

Layer layer(int64_t images, int64_t ins, int64_t outs, int64_t height, int64_t width,
            int64_t kernel = 3, int64_t stride = 1) {
  return {{ins, outs, kernel, stride}, {images, ins, height, width}};
}

/// Sizes around those of channel blocks, tiles, partitions and chunks; both algorithms and both
/// ways to distribute the work.
std::vector<Layer> layers() {
  return {layer(1, 1, 1, 1, 1),          layer(1, 3, 5, 6, 6),
          layer(2, 16, 16, 4, 4),        layer(3, 20, 40, 9, 14),
          layer(5, 17, 33, 5, 7),        layer(20, 16, 32, 7, 5),
          layer(3, 64, 80, 8, 8),        layer(13, 272, 16, 4, 5),
          layer(3, 20, 33, 7, 9, 3, 2),  layer(17, 16, 32, 14, 14, 3, 2),
          layer(9, 80, 128, 5, 4, 3, 2), layer(2, 16, 16, 9, 8, 1, 2),
          layer(2, 16, 16, 9, 8, 1, 1),  layer(2, 18, 16, 11, 12, 7, 2),
          layer(2, 17, 16, 8, 8, 5, 3)};
}

template <class T>
struct Result {
  std::vector<T> out, in_gradient, weight_gradient;
};

template <class T>
Result<T> convolve(const Layer& layer, const std::vector<T>& maps, const std::vector<T>& weights,
                   const std::vector<T>& gradient, const T* images = nullptr) {
  Result<T> result{std::vector<T>(gradient.size()), std::vector<T>(maps.size()),
                   std::vector<T>(weights.size())};
  const ConvInput<T> input{layer.in, {.x = maps.data()}, images};
  Workspace workspace;
  // Twice: the second run must not depend on the workspace contents of the first.
  for (int i = 0; i < 2; ++i) {
    conv_forward<T>({layer.geometry, input, weights.data(), result.out.data(), nullptr}, workspace);
    conv_backward<T>({.geometry = layer.geometry,
                      .input = input,
                      .gradient = {.x = gradient.data()},
                      .weights = weights.data(),
                      .in_gradient = images ? nullptr : result.in_gradient.data(),
                      .epilogue = nullptr,
                      .weight_gradient = result.weight_gradient.data()},
                     workspace);
  }
  return result;
}

template <class T>
Result<T> convolve_random(const Layer& layer) {
  return convolve(layer, random_maps<T>(layer.in, 1),
                  random_numbers<T>(layer.geometry.weights(), 2),
                  random_maps<T>(layer.geometry.out_shape(layer.in), 3));
}

template <class T>
void expect_plain_result(const Layer& layer, double tolerance) {
  const auto maps = random_maps<T>(layer.in, 1);
  const auto weights = random_numbers<T>(layer.geometry.weights(), 2);
  const auto gradient = random_maps<T>(layer.geometry.out_shape(layer.in), 3);
  const PlainConvolution expected(layer.geometry, layer.in, maps, weights, gradient);
  const auto found = convolve(layer, maps, weights, gradient);
  EXPECT_LT(relative_error(found.out, expected.out), tolerance) << name_of(layer);
  EXPECT_LT(relative_error(found.in_gradient, expected.in_gradient), tolerance) << name_of(layer);
  EXPECT_LT(relative_error(found.weight_gradient, expected.weight_gradient), tolerance)
      << name_of(layer);
}

class Convolution : public KernelVariantTest {};

TEST_P(Convolution, MatchesTheFormulaInDouble) {
  for (const auto& layer : layers()) expect_plain_result<double>(layer, 1e-13);
}

TEST_P(Convolution, MatchesTheFormulaInFloat) {
  for (const auto& layer : layers()) expect_plain_result<float>(layer, 2e-5);
}

/// Converts maps to images: [N][H][W][C].
template <class T>
std::vector<T> as_images(const ActivationShape& shape, const std::vector<T>& maps) {
  std::vector<T> images(static_cast<size_t>(shape.images * shape.pixels() * shape.channels));
  for_numbers(shape, [&](int64_t n, int64_t c, int64_t y, int64_t x) {
    images[static_cast<size_t>(((n * shape.height + y) * shape.width + x) * shape.channels + c)] =
        maps[map_at(shape, n, c, y, x)];
  });
  return images;
}

TEST_P(Convolution, SupportsImagesOfOneToThreeChannels) {
  for (const int64_t channels : {1, 2, 3}) {
    for (const auto& layer : {layer(3, channels, 24, 9, 10, 7, 2), layer(9, channels, 16, 12, 8),
                              layer(2, channels, 33, 7, 7, 3, 2)}) {
      const auto maps = random_maps<double>(layer.in, 1);
      const auto weights = random_numbers<double>(layer.geometry.weights(), 2);
      const auto gradient = random_maps<double>(layer.geometry.out_shape(layer.in), 3);
      const PlainConvolution expected(layer.geometry, layer.in, maps, weights, gradient);
      const auto images = as_images(layer.in, maps);
      const auto found = convolve(layer, maps, weights, gradient, images.data());
      EXPECT_LT(relative_error(found.out, expected.out), 1e-13) << name_of(layer);
      EXPECT_LT(relative_error(found.weight_gradient, expected.weight_gradient), 1e-13)
          << name_of(layer);
    }
  }
}

TEST_P(Convolution, IsBitIdenticalForAnyNumberOfThreads) {
  for (const auto& layer : layers()) {
    Result<float> single_thread;
    {
      const Threads threads(1);
      single_thread = convolve_random<float>(layer);
    }
    for (const int count : {2, 3, 5}) {
      const Threads threads(count);
      const auto multi_thread = convolve_random<float>(layer);
      EXPECT_EQ(multi_thread.out, single_thread.out) << name_of(layer) << ", threads " << count;
      EXPECT_EQ(multi_thread.in_gradient, single_thread.in_gradient) << name_of(layer);
      EXPECT_EQ(multi_thread.weight_gradient, single_thread.weight_gradient) << name_of(layer);
    }
  }
}

TEST_P(Convolution, FusesBatchNormShortcutAndReluIntoTheInput) {
  for (const auto& layer : {layer(3, 20, 16, 9, 6), layer(3, 20, 16, 9, 6, 3, 2)}) {
    const auto x = random_maps<double>(layer.in, 1);
    const auto other = random_maps<double>(layer.in, 4);
    auto scale = random_numbers<double>(layer.in.padded_channels(), 5);
    auto shift = random_numbers<double>(layer.in.padded_channels(), 6);
    const auto other_scale = random_numbers<double>(layer.in.padded_channels(), 7);
    for (auto c = static_cast<size_t>(layer.in.channels); c < shift.size(); ++c) shift[c] = 0;
    std::vector<double> made(x.size());
    for_numbers(layer.in, [&](int64_t n, int64_t c, int64_t row, int64_t column) {
      const auto at = map_at(layer.in, n, c, row, column);
      const auto channel = static_cast<size_t>(c);
      made[at] =
          std::max(0.0, scale[channel] * x[at] + shift[channel] + other_scale[channel] * other[at]);
    });
    const auto weights = random_numbers<double>(layer.geometry.weights(), 2);
    std::vector<double> expected(static_cast<size_t>(layer.geometry.out_shape(layer.in).size()));
    std::vector<double> found(expected.size());
    std::vector<double> kept(x.size());
    const InputTransform<double> source{.x = x.data(),
                                        .scale = scale.data(),
                                        .shift = shift.data(),
                                        .other = other.data(),
                                        .other_scale = other_scale.data(),
                                        .relu = true,
                                        .keep = kept.data()};
    Workspace workspace;
    conv_forward<double>(
        {layer.geometry, {layer.in, {.x = made.data()}}, weights.data(), expected.data(), nullptr},
        workspace);
    conv_forward<double>(
        {layer.geometry, {layer.in, source}, weights.data(), found.data(), nullptr}, workspace);
    EXPECT_LT(relative_error(found, expected), 1e-14) << name_of(layer);
    EXPECT_LT(relative_error(kept, made), 1e-15) << name_of(layer);
  }
}

TEST_P(Convolution, AccumulatesBatchNormSumsInTheEpilogue) {
  for (const auto& layer : {layer(5, 16, 20, 9, 6), layer(5, 16, 20, 9, 6, 3, 2)}) {
    const ActivationShape out = layer.geometry.out_shape(layer.in);
    const auto maps = random_maps<float>(layer.in, 1);
    const auto weights = random_numbers<float>(layer.geometry.weights(), 2);
    std::vector<float> values(static_cast<size_t>(out.size()));
    std::vector<double> memory(static_cast<size_t>(ChannelSums::size(out)), 7.0);
    const ChannelSums sums(out, memory.data());
    const SumSquares<float> epilogue(out, values.data(), sums);
    Workspace workspace;
    conv_forward<float>(
        {layer.geometry, {layer.in, {.x = maps.data()}}, weights.data(), values.data(), &epilogue},
        workspace);
    std::vector<double> expected(static_cast<size_t>(2 * out.padded_channels()));
    for_numbers(out, [&](int64_t n, int64_t c, int64_t y, int64_t x) {
      const double value = values[map_at(out, n, c, y, x)];
      expected[static_cast<size_t>(c)] += value;
      expected[static_cast<size_t>(out.padded_channels() + c)] += value * value;
    });
    std::vector<double> found(expected.size());
    sums.total(2, found.data());
    EXPECT_LT(relative_error(found, expected), 1e-6) << name_of(layer);
  }
}

TEST_P(Convolution, AppliesReluBackwardInTheEpilogue) {
  const auto layer = testing::layer(4, 20, 16, 9, 6);
  const ActivationShape& in = layer.in;
  const auto x = random_maps<double>(in, 1);
  const auto second = random_maps<double>(in, 2);
  const auto active = random_maps<double>(in, 3);
  const auto added = random_maps<double>(in, 4);
  const auto gradient = random_maps<double>(layer.geometry.out_shape(in), 5);
  const auto weights = random_numbers<double>(layer.geometry.weights(), 6);
  const PlainConvolution plain(layer.geometry, in, x, weights, gradient);
  std::vector<double> expected(x.size());
  std::vector<double> expected_sums(static_cast<size_t>(3 * in.padded_channels()));
  for_numbers(in, [&](int64_t n, int64_t c, int64_t row, int64_t column) {
    const auto at = map_at(in, n, c, row, column);
    const double g = active[at] > 0 ? plain.in_gradient[at] + added[at] : 0;
    expected[at] = g;
    expected_sums[static_cast<size_t>(c)] += g;
    expected_sums[static_cast<size_t>(in.padded_channels() + c)] += g * x[at];
    expected_sums[static_cast<size_t>(2 * in.padded_channels() + c)] += g * second[at];
  });
  std::vector<double> found(x.size());
  std::vector<double> weight_gradient(weights.size());
  std::vector<double> memory(static_cast<size_t>(ChannelSums::size(in)));
  const ChannelSums sums(in, memory.data());
  const ReluBackward<double> relu_backward(in,
                                           {.gradient = found.data(),
                                            .added = added.data(),
                                            .x = x.data(),
                                            .second = second.data(),
                                            .active = active.data()},
                                           sums);
  Workspace workspace;
  conv_backward<double>({.geometry = layer.geometry,
                         .input = {in, {.x = x.data()}},
                         .gradient = {.x = gradient.data()},
                         .weights = weights.data(),
                         .in_gradient = found.data(),
                         .epilogue = &relu_backward,
                         .weight_gradient = weight_gradient.data()},
                        workspace);
  EXPECT_LT(relative_error(found, expected), 1e-13);
  std::vector<double> totals(expected_sums.size());
  sums.total(3, totals.data());
  EXPECT_LT(relative_error(totals, expected_sums), 1e-13);
}

TEST_P(Convolution, ReluPropagatesNan) {
  const auto layer = testing::layer(1, 16, 16, 8, 8);
  auto x = random_maps<float>(layer.in, 1);
  x[5] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> ones(16, 1.0F);
  const std::vector<float> zeros(16, 0.0F);
  const auto weights = random_numbers<float>(layer.geometry.weights(), 2);
  std::vector<float> out(x.size());
  Workspace workspace;
  const InputTransform<float> source{
      .x = x.data(), .scale = ones.data(), .shift = zeros.data(), .relu = true};
  conv_forward<float>({layer.geometry, {layer.in, source}, weights.data(), out.data(), nullptr},
                      workspace);
  EXPECT_TRUE(std::isnan(out[0]));
}

INSTANTIATE_KERNEL_VARIANTS(Convolution);

}  // namespace
}  // namespace projnce::testing
