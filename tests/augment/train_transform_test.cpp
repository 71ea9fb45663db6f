#include "projnce/augment/sample_views.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "tests/support/plain_format.h"
#include "tests/support/test_images.h"

namespace projnce::augment {
namespace {

using testing::constant_image;
using testing::plain_format;
using testing::random_image;

const AugmentOptions kNothing{.crop_scale_min = 1,
                              .crop_aspect_min = 1,
                              .crop_aspect_max = 1,
                              .flip_probability = 0,
                              .jitter_probability = 0,
                              .grayscale_probability = 0};

std::vector<float> view_of(const Image& image, const AugmentOptions& options,
                           const ViewFormat& format, uint64_t seed) {
  std::vector<float> out(format.values());
  TrainTransform(options, format).make_view(image, seed, out.data());
  return out;
}

TEST(TrainTransform, KeepsThePixelsWithoutAugmentation) {
  const auto image = random_image(32, 32, 3, 1);
  const auto view = view_of(image, kNothing, plain_format(3, 32), 9);
  for (size_t i = 0; i < view.size(); ++i) {
    ASSERT_EQ(view[i], static_cast<float>(image.pixels[i]) * (1.0F / 255.0F));
  }
}

TEST(TrainTransform, MirrorsThePixelsIfItAlwaysFlips) {
  auto options = kNothing;
  options.flip_probability = 1;
  const auto image = random_image(8, 8, 1, 2);
  const auto view = view_of(image, options, plain_format(1, 8), 9);
  for (size_t y = 0; y < 8; ++y) {
    for (size_t x = 0; x < 8; ++x) {
      ASSERT_EQ(view[8 * y + x], static_cast<float>(image.pixels[8 * y + 7 - x]) * (1.0F / 255.0F));
    }
  }
}

TEST(TrainTransform, DependsOnTheSeedNotOnPreviousImages) {
  const auto image = random_image(32, 32, 3, 3);
  const auto format = plain_format(3, 32);
  TrainTransform used({}, format);
  std::vector<float> out(format.values());
  used.make_view(random_image(50, 20, 3, 4), 1, out.data());
  used.make_view(random_image(9, 9, 1, 5), 2, out.data());
  used.make_view(image, 77, out.data());
  EXPECT_EQ(out, view_of(image, {}, format, 77));
  EXPECT_NE(out, view_of(image, {}, format, 78));
}

TEST(TrainTransform, FlipAndGrayscaleHaveTheConfiguredProbabilities) {
  auto flips = kNothing;
  flips.flip_probability = 0.5;
  auto grays = kNothing;
  grays.grayscale_probability = 0.2;
  auto image = constant_image(2, 2, 3, 0);
  image.pixels[0] = image.pixels[6] = 255;  // red on the left

  const auto format = plain_format(3, 2);
  TrainTransform flip(flips, format);
  TrainTransform gray(grays, format);
  std::vector<float> out(format.values());
  int flipped = 0;
  int grayed = 0;
  constexpr int kDraws = 4000;
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    flip.make_view(image, seed, out.data());
    flipped += out[0] == 0;
    gray.make_view(image, seed, out.data());
    grayed += out[0] == out[1];
  }
  EXPECT_NEAR(flipped, 0.5 * kDraws, 120);
  EXPECT_NEAR(grayed, 0.2 * kDraws, 100);
}

TEST(TrainTransform, JitterHasTheConfiguredProbabilityAndStrength) {
  auto options = kNothing;
  options.jitter_probability = 0.8;
  options.contrast = options.saturation = options.hue = 0;
  const auto format = plain_format(1, 2);
  TrainTransform transform(options, format);
  std::vector<float> out(format.values());
  const auto image = constant_image(2, 2, 1, 102);  // 0.4
  int changed = 0;
  double least = 1;
  double most = 0;
  constexpr int kDraws = 4000;
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    transform.make_view(image, seed, out.data());
    changed += std::abs(out[0] - 0.4F) > 1e-6;
    least = std::min<double>(least, out[0]);
    most = std::max<double>(most, out[0]);
  }
  EXPECT_NEAR(changed, 0.8 * kDraws, 100);
  EXPECT_NEAR(least, 0.4 * 0.6, 1e-3);
  EXPECT_NEAR(most, 0.4 * 1.4, 1e-3);
}

TEST(TrainTransform, CropsGrayAndColorImagesEqually) {
  const auto gray = random_image(16, 16, 1, 6);
  auto color = constant_image(16, 16, 3, 0);
  for (size_t i = 0; i < color.pixels.size(); ++i) color.pixels[i] = gray.pixels[i / 3];
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto from_gray = view_of(gray, {}, plain_format(3, 16), seed);
    const auto from_color = view_of(color, {}, plain_format(3, 16), seed);
    for (size_t i = 0; i < from_gray.size(); ++i) {
      ASSERT_NEAR(from_gray[i], from_color[i], 1e-5) << "seed " << seed;
    }
  }
}

TEST(TrainTransform, KeepsConstantGrayImagesConstantForAnyShape) {
  for (const auto& [height, width] : {std::pair{1, 1}, {3, 200}, {200, 3}, {28, 28}}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const auto view =
          view_of(constant_image(height, width, 3, 128), {}, plain_format(1, 32), seed);
      for (const float value : view) ASSERT_NEAR(value, view[0], 1e-5);
    }
  }
}

TEST(TrainTransform, IsBitIdenticalOnEveryCpu) {
  uint64_t checksum = 0;
  for (const int channels : {1, 3}) {
    const auto format = plain_format(channels, 30);
    TrainTransform transform({}, format);
    std::vector<float> out(format.values());
    for (uint64_t seed = 0; seed < 200; ++seed) {
      transform.make_view(random_image(28, 61, channels, seed), seed, out.data());
      for (const float value : out) checksum = mix64(checksum + std::bit_cast<uint32_t>(value));
    }
  }
  // Equal for AVX2, SSE2 and unoptimized code; resuming on another machine relies on it.
  EXPECT_EQ(checksum, 0xF1AF6BFFBEFAA68CU);
}

TEST(TrainTransform, EveryEpochSampleAndViewHasItsOwnSeed) {
  std::set<uint64_t> seeds;
  for (int64_t epoch = 0; epoch < 10; ++epoch) {
    for (int64_t index = 0; index < 10; ++index) {
      for (int64_t view = 0; view < 3; ++view) seeds.insert(view_seed(1, epoch, index, view));
    }
  }
  EXPECT_EQ(seeds.size(), 300U);
}

}  // namespace
}  // namespace projnce::augment
