#include "projnce/io/image/image_writer.h"

#include <gtest/gtest.h>

#include "projnce/core/error.h"
#include "projnce/io/image/image_file.h"
#include "tests/support/test_images.h"

namespace projnce::io {
namespace {

TEST(PngWriter, PixelsRoundTripExactly) {
  for (const int channels : {1, 3}) {
    const auto image = testing::random_image(37, 53, channels, 1);
    const auto decoded = decode_image(encode_png(image), "x");
    EXPECT_EQ(decoded.height, 37);
    EXPECT_EQ(decoded.channels, channels);
    EXPECT_EQ(decoded.pixels, image.pixels);
  }
}

TEST(PngWriter, RejectsImagesThatPngDoesNotSupport) {
  EXPECT_THROW(encode_png({1, 1, 5, {0, 0, 0, 0, 0}}), Error);
  EXPECT_THROW(encode_png({0, 0, 3, {}}), Error);
}

}  // namespace
}  // namespace projnce::io
