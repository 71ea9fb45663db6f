#include "projnce/augment/sample_views.h"

#include <gtest/gtest.h>

#include "tests/support/plain_format.h"
#include "tests/support/test_images.h"

namespace projnce::augment {
namespace {

using testing::constant_image;
using testing::plain_format;
using testing::random_image;

std::vector<float> evaluate(const Image& image, const ViewFormat& format) {
  std::vector<float> out(format.values());
  EvalTransform(format).make_view(image, out.data());
  return out;
}

TEST(EvalTransform, KeepsImagesOfTheRightSize) {
  for (const int channels : {1, 3}) {
    const auto image = random_image(28, 28, channels, 1);
    const auto view = evaluate(image, plain_format(channels, 28));
    for (size_t i = 0; i < view.size(); ++i) {
      ASSERT_EQ(view[i], static_cast<float>(image.pixels[i]) * (1.0F / 255.0F));
    }
  }
}

TEST(EvalTransform, CenterCropsWideAndTallImages) {
  auto wide = constant_image(4, 12, 1, 0);
  for (int y = 0; y < 4; ++y) {
    for (int x = 4; x < 8; ++x) wide.pixels[static_cast<size_t>(12 * y + x)] = 255;
  }
  for (const float value : evaluate(wide, plain_format(1, 4))) EXPECT_FLOAT_EQ(value, 1);

  auto tall = constant_image(12, 4, 1, 0);
  std::fill(tall.pixels.begin() + 16, tall.pixels.begin() + 32, uint8_t{255});
  for (const float value : evaluate(tall, plain_format(1, 4))) EXPECT_FLOAT_EQ(value, 1);
}

TEST(EvalTransform, DoesNotAliasWhenDownsampling) {
  auto stripes = constant_image(64, 64, 1, 0);
  for (size_t i = 0; i < stripes.pixels.size(); i += 2) stripes.pixels[i] = 255;
  for (const float value : evaluate(stripes, plain_format(1, 8))) EXPECT_NEAR(value, 0.5, 0.02);
}

TEST(EvalTransform, AcceptsOddShapesAndOtherChannelCounts) {
  for (const auto& [height, width] : {std::pair{1, 1}, {3, 200}, {200, 3}, {31, 33}}) {
    for (const int channels : {1, 3}) {
      for (const float value :
           evaluate(constant_image(height, width, channels, 51), plain_format(4 - channels, 32))) {
        ASSERT_NEAR(value, 0.2, 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace projnce::augment
