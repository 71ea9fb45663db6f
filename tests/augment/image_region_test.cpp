
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "projnce/augment/crop.h"
#include "projnce/augment/sample_views.h"
#include "tests/support/plain_format.h"
#include "tests/support/test_images.h"

namespace projnce::augment {
namespace {

using testing::plain_format;
using testing::random_image;

/// Output of a decoder: the pixels that cover the box, each the mean of reduction x reduction
/// pixels.
Image part_of(const Image& whole, const PixelBox& box, int reduction) {
  const int top = box.top / reduction;
  const int left = box.left / reduction;
  const int bottom = (box.top + box.height + reduction - 1) / reduction;
  const int right = (box.left + box.width + reduction - 1) / reduction;
  auto part = testing::constant_image(bottom - top, right - left, whole.channels, 0);
  part.window = ImageWindow{
      whole.height,
      whole.width,
      {top * reduction, left * reduction, part.height * reduction, part.width * reduction},
      reduction};
  for (size_t i = 0; i < part.pixels.size(); ++i) {
    const int place = static_cast<int>(i) / whole.channels;
    const int first_row = (top + place / part.width) * reduction;
    const int first_column = (left + place % part.width) * reduction;
    double sum = 0;
    int count = 0;
    for (int y = first_row; y < std::min(first_row + reduction, whole.height); ++y) {
      for (int x = first_column; x < std::min(first_column + reduction, whole.width); ++x) {
        const int pixel = (y * whole.width + x) * whole.channels;
        sum += whole.pixels[static_cast<size_t>(pixel) + i % static_cast<size_t>(whole.channels)];
        ++count;
      }
    }
    part.pixels[i] = static_cast<uint8_t>(std::lround(sum / count));
  }
  return part;
}

Image smooth_image(int height, int width, int channels) {
  auto image = testing::constant_image(height, width, channels, 0);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    const int place = static_cast<int>(i) / channels;
    const double x = place % width + 40.0 * static_cast<double>(i % static_cast<size_t>(channels));
    const double y = place / width;
    image.pixels[i] = static_cast<uint8_t>(128 + 70 * std::sin(x / 30) + 50 * std::cos(y / 25));
  }
  return image;
}

constexpr uint64_t kSeeds[] = {11, 12, 13};

TEST(ImageRegion, TrainRegionIsTheUnionOfAllViews) {
  const AugmentOptions options;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<uint64_t> seeds = {seed, seed + 1000};
    const auto region = train_region(options, 32, seeds, 150, 200);
    int top = 150;
    int left = 200;
    int bottom = 0;
    int right = 0;
    double reduction = 1000;
    for (const uint64_t one : seeds) {
      Random random(one);
      const auto box = random_crop(options, 150, 200, random);
      top = std::min(top, box.top);
      left = std::min(left, box.left);
      bottom = std::max(bottom, box.top + box.height);
      right = std::max(right, box.left + box.width);
      reduction = std::min(reduction, std::min(box.height, box.width) / 32.0);
    }
    EXPECT_EQ(region.box, (PixelBox{top, left, bottom - top, right - left}));
    EXPECT_DOUBLE_EQ(region.reduction, reduction);
  }
}

TEST(ImageRegion, TrainViewsOfUnreducedPartsAreBitIdentical) {
  for (const int channels : {1, 3}) {
    for (const int size : {16, 64, 200}) {
      const auto whole = random_image(97, 133, channels, 1);
      const auto format = plain_format(channels, size);
      TrainTransform transform({}, format);
      std::vector<float> expected(format.values());
      std::vector<float> view(format.values());
      for (uint64_t seed = 0; seed < 40; ++seed) {
        const std::vector<uint64_t> seeds = {seed, seed + 500};
        const auto region = train_region({}, size, seeds, 97, 133);
        const auto part = part_of(whole, region.box, 1);
        for (const uint64_t one : seeds) {
          transform.make_view(whole, one, expected.data());
          transform.make_view(part, one, view.data());
          ASSERT_EQ(view, expected) << "seed " << one;
        }
      }
    }
  }
}

TEST(ImageRegion, TrainViewsOfReducedPartsAreClose) {
  const auto whole = smooth_image(403, 505, 3);
  const auto format = plain_format(3, 24);
  TrainTransform transform({}, format);
  std::vector<float> expected(format.values());
  std::vector<float> view(format.values());
  for (const int reduction : {2, 4, 8}) {
    const auto part = part_of(whole, train_region({}, 24, kSeeds, 403, 505).box, reduction);
    for (const uint64_t seed : kSeeds) {
      transform.make_view(whole, seed, expected.data());
      transform.make_view(part, seed, view.data());
      for (size_t i = 0; i < view.size(); ++i) ASSERT_NEAR(view[i], expected[i], 0.02) << i;
    }
  }
}

TEST(ImageRegion, EvalViewsOfUnreducedPartsAreBitIdentical) {
  for (const int channels : {1, 3}) {
    for (const auto& [height, width] : {std::pair{97, 133}, {300, 50}, {31, 400}, {64, 64}}) {
      for (const int size : {8, 48, 150}) {
        const auto whole = random_image(height, width, channels, 2);
        const auto region = eval_region(size, height, width);
        const auto format = plain_format(channels, size);
        std::vector<float> expected(format.values());
        std::vector<float> view(format.values());
        EvalTransform(format).make_view(whole, expected.data());
        EvalTransform(format).make_view(part_of(whole, region.box, 1), view.data());
        ASSERT_EQ(view, expected) << height << " x " << width << " to " << size;
      }
    }
  }
}

TEST(ImageRegion, EvalViewsOfReducedPartsAreClose) {
  const auto whole = smooth_image(405, 803, 3);
  const auto format = plain_format(3, 40);
  const auto region = eval_region(40, 405, 803);
  EXPECT_DOUBLE_EQ(region.reduction, 405 / 40.0);
  EXPECT_LT(region.box.width, 450);
  std::vector<float> expected(format.values());
  std::vector<float> view(format.values());
  EvalTransform(format).make_view(whole, expected.data());
  for (const int reduction : {2, 4, 8}) {
    EvalTransform(format).make_view(part_of(whole, region.box, reduction), view.data());
    for (size_t i = 0; i < view.size(); ++i) ASSERT_NEAR(view[i], expected[i], 0.02) << i;
  }
}

TEST(ImageRegion, SmallImagesAreNotReduced) {
  EXPECT_LT(eval_region(64, 100, 50).reduction, 1);
  EXPECT_LE(train_region({}, 64, kSeeds, 64, 64).reduction, 1);
}

}  // namespace
}  // namespace projnce::augment
