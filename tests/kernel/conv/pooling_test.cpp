#include "projnce/kernel/conv/pooling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/kernel/map_loops.h"
#include "tests/support/kernel_variants.h"

namespace projnce::testing {
namespace {

using namespace kernel;

struct PoolCase {
  PoolGeometry geometry;
  ActivationShape shape;
};

const std::vector<PoolCase> kCases = {{{2, 2, 0}, {3, 20, 8, 6}},
                                      {{2, 2, 0}, {2, 16, 7, 9}},
                                      {{3, 2, 1}, {2, 17, 9, 8}},
                                      {{3, 2, 1}, {1, 5, 1, 2}}};

ActivationShape pooled_shape(const PoolCase& pool) {
  return {pool.shape.images, pool.shape.channels, pool.geometry.out_side(pool.shape.height),
          pool.geometry.out_side(pool.shape.width)};
}

/// Offset of the first maximum of a window.
template <class T>
size_t largest_of_window(const PoolCase& pool, const std::vector<T>& maps, int64_t n, int64_t c,
                         int64_t y, int64_t x) {
  const auto& g = pool.geometry;
  size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (int64_t row = y * g.stride - g.padding; row < y * g.stride - g.padding + g.window; ++row) {
    for (int64_t column = x * g.stride - g.padding; column < x * g.stride - g.padding + g.window;
         ++column) {
      if (row < 0 || column < 0 || row >= pool.shape.height || column >= pool.shape.width) continue;
      const auto at = map_at(pool.shape, n, c, row, column);
      if (double(maps[at]) > most) {
        most = double(maps[at]);
        best = at;
      }
    }
  }
  return best;
}

/// Does nothing.
class NoEpilogue : public Epilogue {
  void run(int64_t, int64_t, int64_t, int64_t) const override {}
};

class Pooling : public KernelVariantTest {};

TEST_P(Pooling, MaxPoolAndItsGradientMatchTheReference) {
  for (const auto& pool : kCases) {
    const ActivationShape out = pooled_shape(pool);
    auto maps = random_maps<float>(pool.shape, 1);
    for (auto& value : maps) value = std::round(value * 2);  // equal values: the first one counts
    const auto gradient = random_maps<float>(out, 2);
    std::vector<float> expected(static_cast<size_t>(out.size()));
    std::vector<float> expected_gradient(maps.size());
    for_numbers(out, [&](int64_t n, int64_t c, int64_t y, int64_t x) {
      const auto from = largest_of_window(pool, maps, n, c, y, x);
      expected[map_at(out, n, c, y, x)] = maps[from];
      expected_gradient[from] += gradient[map_at(out, n, c, y, x)];
    });
    std::vector<float> found(expected.size());
    std::vector<float> found_gradient(maps.size());
    Workspace workspace;
    const InputTransform<float> source{.x = maps.data()};
    max_pool_maps(pool.geometry, pool.shape, source, found.data(), workspace);
    max_pool_backward(pool.geometry, pool.shape, source, found.data(), gradient.data(),
                      found_gradient.data(), NoEpilogue(), workspace);
    EXPECT_EQ(found, expected);
    EXPECT_LT(relative_error(found_gradient, expected_gradient), 1e-6);
  }
}

TEST_P(Pooling, MaxPoolPropagatesNan) {
  const PoolCase pool{{2, 2, 0}, {1, 16, 2, 2}};
  for (size_t place = 0; place < 4; ++place) {
    auto maps = random_maps<float>(pool.shape, 1);
    maps[place * 16] = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> out(16);
    Workspace workspace;
    max_pool_maps(pool.geometry, pool.shape, InputTransform<float>{.x = maps.data()}, out.data(),
                  workspace);
    EXPECT_TRUE(std::isnan(out[0])) << place;
    EXPECT_FALSE(std::isnan(out[1])) << place;
  }
}

TEST(AdaptiveAvgPool, BackwardIsTheTranspose) {
  for (const int64_t grid : {1, 3, 4}) {
    const ActivationShape shape{2, 18, 9, 5};
    const auto maps = random_maps<double>(shape, 1);
    std::vector<double> features(static_cast<size_t>(2 * 18 * grid * grid));
    Workspace workspace;
    adaptive_avg_pool(shape, InputTransform<double>{.x = maps.data()}, grid, features.data(),
                      workspace);
    double mean = 0;  // expected value of the first cell of channel 17 of image 1
    const int64_t rows = (9 + grid - 1) / grid;
    const int64_t columns = (5 + grid - 1) / grid;
    for (int64_t y = 0; y < rows; ++y) {
      for (int64_t x = 0; x < columns; ++x) mean += maps[map_at(shape, 1, 17, y, x)];
    }
    mean /= static_cast<double>(rows * columns);
    EXPECT_NEAR(features[static_cast<size_t>((18 + 17) * grid * grid)], mean, 1e-14);
    // <A maps, g> = <maps, A' g>
    const auto g = random_numbers<double>(static_cast<int64_t>(features.size()), 2);
    std::vector<double> back(maps.size());
    adaptive_avg_pool_backward(shape, g.data(), grid, back.data(), nullptr);
    double left = 0;
    double right = 0;
    for (size_t i = 0; i < g.size(); ++i) left += features[i] * g[i];
    for (size_t i = 0; i < maps.size(); ++i) right += maps[i] * back[i];
    EXPECT_NEAR(left, right, 1e-12);
  }
}

INSTANTIATE_KERNEL_VARIANTS(Pooling);

}  // namespace
}  // namespace projnce::testing
