#include "projnce/augment/input_format.h"

#include <gtest/gtest.h>

#include "projnce/core/error.h"

namespace projnce::augment {
namespace {

/// Channel c of pixel i is (10 * c + i) / 100.
FloatImage numbered(int channels) {
  FloatImage image;
  image.reshape(channels, 2, 2);
  for (int c = 0; c < channels; ++c) {
    for (int i = 0; i < 4; ++i) image.plane(c)[i] = static_cast<float>(10 * c + i) / 100;
  }
  return image;
}

TEST(ViewFormat, StandardizesInBothOrders) {
  ViewFormat format{.image_size = 2, .mean = {0.1, 0.2, 0.3}, .std = {0.5, 0.25, 2}};
  std::vector<float> last(12);
  std::vector<float> planar(12);
  ViewWriter(format).write(numbered(3), last.data());
  format.order = PixelOrder::kPlanar;
  ViewWriter(format).write(numbered(3), planar.data());
  for (size_t c = 0; c < 3; ++c) {
    for (size_t i = 0; i < 4; ++i) {
      const double value = static_cast<double>(10 * c + i) / 100;
      EXPECT_NEAR(last[3 * i + c], (value - format.mean[c]) / format.std[c], 1e-6);
      EXPECT_EQ(last[3 * i + c], planar[4 * c + i]);
    }
  }
}

TEST(ViewFormat, RepeatsGrayForThreeChannels) {
  const ViewFormat format{.image_size = 2, .mean = {0, 0, 0}, .std = {1, 1, 1}};
  std::vector<float> out(12);
  ViewWriter(format).write(numbered(1), out.data());
  for (size_t i = 0; i < 12; ++i) EXPECT_FLOAT_EQ(out[i], static_cast<float>(i / 3) / 100);
}

TEST(ViewFormat, ConvertsColorToGrayForOneChannel) {
  const ViewFormat format{.channels = 1, .image_size = 2, .mean = {0}, .std = {1}};
  const ViewWriter writer(format);
  auto image = numbered(3);
  writer.reduce_channels(image);
  EXPECT_EQ(image.channels(), 1);
  std::vector<float> out(4);
  writer.write(image, out.data());
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(out[static_cast<size_t>(i)],
                (0.299 * i + 0.587 * (10 + i) + 0.114 * (20 + i)) / 100, 1e-6);
  }
}

TEST(ViewFormat, RejectsInvalidValues) {
  const ViewFormat good{.image_size = 2, .mean = {0, 0, 0}, .std = {1, 1, 1}};
  EXPECT_NO_THROW(check_view_format(good));
  auto bad = good;
  bad.channels = 2;
  EXPECT_THROW(check_view_format(bad), Error);
  bad = good;
  bad.image_size = 0;
  EXPECT_THROW(check_view_format(bad), Error);
  bad = good;
  bad.mean = {0};
  EXPECT_THROW(check_view_format(bad), Error);
  bad = good;
  bad.std[1] = 0;
  EXPECT_THROW(check_view_format(bad), Error);
}

}  // namespace
}  // namespace projnce::augment
