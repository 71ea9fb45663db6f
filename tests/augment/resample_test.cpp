#include "projnce/augment/resample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "projnce/core/error.h"
#include "tests/support/test_images.h"

namespace projnce::augment {
namespace {

using testing::constant_image;
using testing::random_image;

ResizeAxis whole(int length, int resized) {
  return {0, static_cast<double>(length), resized, 0, resized};
}

/// Reference implementation: for each output pixel, a normalized triangle around the half-pixel
/// center over the pixels that the region overlaps.
double resized_at(const Image& image, int channel, const ResizeAxis& vertical,
                  const ResizeAxis& horizontal, int y, int x) {
  const auto weight = [](const ResizeAxis& axis, int i, int pixel) {
    if (pixel + 1 <= axis.start || pixel >= axis.start + axis.extent) return 0.0;
    const double ratio = axis.extent / axis.resized;
    const double distance = std::abs(pixel + 0.5 - axis.start - (i + axis.offset + 0.5) * ratio);
    return std::max(0.0, 1 - distance / std::max(1.0, ratio));
  };
  double sum = 0;
  double total = 0;
  for (int r = 0; r < image.height; ++r) {
    for (int c = 0; c < image.width; ++c) {
      const double w = weight(vertical, y, r) * weight(horizontal, x, c);
      const int pixel = r * image.width + c;
      sum += w * image.pixels[static_cast<size_t>(pixel * image.channels + channel)] / 255.0;
      total += w;
    }
  }
  return sum / total;
}

void expect_definition(const Image& image, const ResizeAxis& vertical,
                       const ResizeAxis& horizontal) {
  Resampler resampler;
  FloatImage out;
  resampler.resize(image, vertical, horizontal, Mirror::kNo, out);
  ASSERT_EQ(out.channels(), image.channels);
  for (int c = 0; c < image.channels; ++c) {
    for (int y = 0; y < vertical.count; ++y) {
      for (int x = 0; x < horizontal.count; ++x) {
        ASSERT_NEAR(out.plane(c)[y * horizontal.count + x],
                    resized_at(image, c, vertical, horizontal, y, x), 2e-6)
            << "channel " << c << " row " << y << " column " << x;
      }
    }
  }
}

TEST(Resample, MatchesTheReferenceForAnyRatio) {
  for (const int channels : {1, 3}) {
    const auto image = random_image(13, 37, channels, 1);
    for (const int size : {1, 2, 5, 13, 16, 40, 90}) {
      SCOPED_TRACE(size);
      expect_definition(image, whole(13, size), whole(37, size));
    }
  }
}

TEST(Resample, MatchesTheReferenceInsideABoxAndForPartOfTheResult) {
  const auto image = random_image(20, 24, 3, 2);
  expect_definition(image, {3, 11, 16, 0, 16}, {7, 9, 16, 0, 16});
  expect_definition(image, {0, 20, 8, 2, 4}, {0, 24, 10, 3, 4});
  expect_definition(image, {19, 1, 4, 0, 4}, {0, 2, 5, 0, 5});
}

TEST(Resample, MatchesTheReferenceForFractionalRegions) {
  for (const int channels : {1, 3}) {
    const auto image = random_image(20, 24, channels, 7);
    expect_definition(image, {3.25, 11.5, 8, 0, 8}, {7.5, 9.125, 6, 0, 6});
    expect_definition(image, {0.75, 6.5, 16, 0, 16}, {16.25, 7.75, 16, 0, 16});
    expect_definition(image, {0.5, 0.25, 3, 0, 3}, {23.75, 0.25, 3, 0, 3});
  }
}

TEST(Resample, MatchesTheReferenceForRegionsBeyondTheImage) {
  const auto image = random_image(20, 24, 3, 8);
  expect_definition(image, {-40, 100, 50, 22, 6}, {-8, 60, 20, 4, 5});
  expect_definition(image, {-40.5, 100.5, 150, 65, 20}, {-8.25, 60, 90, 16, 20});
}

TEST(Resample, RejectsRegionsOutsideTheImage) {
  const auto image = random_image(20, 24, 3, 9);
  Resampler resampler;
  FloatImage out;
  EXPECT_THROW(resampler.resize(image, {20, 5, 4, 0, 4}, whole(24, 4), Mirror::kNo, out), Error);
  EXPECT_THROW(resampler.resize(image, whole(20, 4), {-9, 9, 4, 0, 4}, Mirror::kNo, out), Error);
}

TEST(Resample, AcceptsImagesOfOnePixelAndOfOneRow) {
  expect_definition(random_image(1, 1, 3, 3), whole(1, 8), whole(1, 8));
  expect_definition(random_image(1, 1, 1, 3), whole(1, 1), whole(1, 1));
  expect_definition(random_image(3, 200, 3, 4), whole(3, 32), whole(200, 32));
}

TEST(Resample, KeepsAConstantImageConstant) {
  Resampler resampler;
  FloatImage out;
  for (const int size : {7, 32, 100}) {
    resampler.resize(constant_image(33, 21, 3, 200), whole(33, size), whole(21, size), Mirror::kNo,
                     out);
    for (size_t i = 0; i < 3 * out.plane_size(); ++i) {
      ASSERT_NEAR(out.plane(0)[i], 200.0 / 255, 1e-6);
    }
  }
}

TEST(Resample, KeepsThePixelsAtTheSameSize) {
  const auto image = random_image(31, 17, 3, 5);
  Resampler resampler;
  FloatImage out;
  resampler.resize(image, whole(31, 31), whole(17, 17), Mirror::kNo, out);
  for (size_t i = 0; i < out.plane_size(); ++i) {
    for (int c = 0; c < 3; ++c) {
      const auto byte = image.pixels[3 * i + static_cast<size_t>(c)];
      ASSERT_EQ(out.plane(c)[i], static_cast<float>(byte) * (1.0F / 255.0F));
    }
  }
}

TEST(Resample, MirrorsHorizontally) {
  for (const int channels : {1, 3}) {
    for (const int width : {9, 40}) {
      const auto image = random_image(12, 21, channels, 6);
      Resampler resampler;
      FloatImage plain;
      FloatImage mirrored;
      resampler.resize(image, whole(12, 9), whole(21, width), Mirror::kNo, plain);
      resampler.resize(image, whole(12, 9), whole(21, width), Mirror::kHorizontal, mirrored);
      for (int row = 0; row < 9 * channels; ++row) {
        for (int x = 0; x < width; ++x) {
          ASSERT_EQ(plain.plane(0)[row * width + x],
                    mirrored.plane(0)[row * width + width - 1 - x]);
        }
      }
    }
  }
}

TEST(Resample, RejectsInvalidImages) {
  EXPECT_THROW(check_image({0, 5, 3, {}}), Error);
  EXPECT_THROW(check_image({1, 1, 2, {0, 0}}), Error);
  EXPECT_THROW(check_image({2, 2, 1, {0, 0, 0}}), Error);
}

TEST(Resample, AddsNoiseBeyondThePixelRange) {
  auto image = testing::constant_image(2, 2, 1, 250);
  image.noise = {100, -300, 0, 5};
  FloatImage out;
  const ResizeAxis whole{0, 2, 2, 0, 2};
  Resampler().resize(image, whole, whole, Mirror::kNo, out);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(out.plane(0)[i], static_cast<float>(250 + image.noise[i]) / 255, 1e-6);
  }
  image.noise.pop_back();
  EXPECT_THROW(check_image(image), Error);
}

}  // namespace
}  // namespace projnce::augment
