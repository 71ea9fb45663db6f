#include "projnce/dataset/wrappers/wrappers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "projnce/core/error.h"
#include "tests/support/decoded_image.h"
#include "tests/support/memory_dataset.h"

namespace projnce::dataset {
namespace {

using testing::constant_image;
using testing::decoded_image;
using testing::MemoryDataset;

DatasetPtr gray_images(uint8_t value) {
  const std::vector<Image> images(4, constant_image(64, 64, 3, value));
  return std::make_shared<MemoryDataset>(images, std::vector<int64_t>{0, 1, 0, 1}, 2);
}

TEST(FeatureNoise, HasTheConfiguredDeviation) {
  const auto noisy = with_feature_noise(gray_images(128), {.deviation = 20, .seed = 3});
  double sum = 0;
  double square = 0;
  const auto image = decoded_image(*noisy, 1);
  for (const int pixel : image.pixels) {
    sum += pixel - 128;
    square += (pixel - 128) * (pixel - 128);
  }
  const auto count = static_cast<double>(image.pixels.size());
  EXPECT_NEAR(sum / count, 0, 0.7);  // four standard errors
  EXPECT_NEAR(std::sqrt(square / count), 20, 0.6);
}

TEST(FeatureNoise, IsFixedForEachImage) {
  const auto noisy = with_feature_noise(gray_images(128), {.deviation = 20, .seed = 3});
  const auto again = with_feature_noise(gray_images(128), {.deviation = 20, .seed = 3});
  const auto other = with_feature_noise(gray_images(128), {.deviation = 20, .seed = 4});
  EXPECT_EQ(decoded_image(*noisy, 0).pixels, decoded_image(*noisy, 0).pixels);
  EXPECT_EQ(decoded_image(*noisy, 0).pixels, decoded_image(*again, 0).pixels);
  EXPECT_NE(decoded_image(*noisy, 0).pixels, decoded_image(*noisy, 1).pixels);
  EXPECT_NE(decoded_image(*noisy, 0).pixels, decoded_image(*other, 0).pixels);
}

TEST(FeatureNoise, StaysInRangeOnlyIfClipped) {
  const auto clipped = decoded_image(*with_feature_noise(gray_images(250), {.deviation = 70}), 0);
  EXPECT_TRUE(clipped.noise.empty());
  EXPECT_GT(std::count(clipped.pixels.begin(), clipped.pixels.end(), 255), 1000);
  const auto open =
      decoded_image(*with_feature_noise(gray_images(250), {.deviation = 70, .clip = false}), 0);
  ASSERT_EQ(open.noise.size(), open.pixels.size());
  for (size_t i = 0; i < open.pixels.size(); ++i) {
    EXPECT_EQ(open.pixels[i], 250);
    EXPECT_EQ(clipped.pixels[i], std::clamp(250 + open.noise[i], 0, 255));
  }
}

}  // namespace
}  // namespace projnce::dataset
