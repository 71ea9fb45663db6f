#include "projnce/augment/crop.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace projnce::augment {
namespace {

bool inside(const PixelBox& box, int height, int width) {
  return box.top >= 0 && box.left >= 0 && box.height >= 1 && box.width >= 1 &&
         box.top + box.height <= height && box.left + box.width <= width;
}

TEST(Crop, StaysInsideImagesOfAnyShape) {
  Random random(3);
  for (const auto& [height, width] : {std::pair{1, 1}, {3, 200}, {200, 3}, {28, 28}, {2, 1}}) {
    for (int i = 0; i < 500; ++i) {
      const auto box = random_crop({}, height, width, random);
      ASSERT_TRUE(inside(box, height, width)) << height << "x" << width;
    }
  }
}

TEST(Crop, CoversTheRangeOfAreasAndAspectRatios) {
  Random random(4);
  double least = 1;
  double most = 0;
  double sum = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    const auto box = random_crop({}, 100, 100, random);
    const double area = box.height * box.width / 1e4;
    const double aspect = static_cast<double>(box.width) / box.height;
    EXPECT_GT(aspect, 0.72);
    EXPECT_LT(aspect, 1.38);
    least = std::min(least, area);
    most = std::max(most, area);
    sum += area;
  }
  EXPECT_NEAR(least, 0.2, 0.02);
  EXPECT_NEAR(most, 1, 0.03);
  // Uniform over 0.2 .. 1 would give 0.6; large boxes with an aspect that does not fit are redrawn.
  EXPECT_NEAR(sum / kDraws, 0.57, 0.03);
}

TEST(Crop, KeepsTheWholeImageIfConfigured) {
  const AugmentOptions whole{.crop_scale_min = 1, .crop_aspect_min = 1, .crop_aspect_max = 1};
  Random random(5);
  const auto box = random_crop(whole, 32, 32, random);
  EXPECT_EQ(box.height, 32);
  EXPECT_EQ(box.width, 32);
}

TEST(Crop, FallsBackToTheCenterIfNoBoxFits) {
  Random random(6);
  const AugmentOptions large{.crop_scale_min = 1};
  const auto wide = random_crop(large, 30, 300, random);
  EXPECT_EQ(wide.height, 30);
  EXPECT_EQ(wide.width, 40);
  EXPECT_EQ(wide.left, 130);
  const auto tall = random_crop(large, 300, 30, random);
  EXPECT_EQ(tall.height, 40);
  EXPECT_EQ(tall.top, 130);
}

}  // namespace
}  // namespace projnce::augment
