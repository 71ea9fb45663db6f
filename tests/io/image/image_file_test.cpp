#include "projnce/io/image/image_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/data_files.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using testing::Bytes;
using testing::counting_image;
using ::testing::Each;
using testing::encode_jpeg;
using testing::encode_png;
using ::testing::HasSubstr;
using testing::plain_image;

std::string error_about_image(const Bytes& bytes) {
  return testing::error_message_of([&] { decode_image(bytes, "cat/a.jpg"); });
}

TEST(ImageFile, PngRoundTripsExactly) {
  for (const int channels : {1, 3}) {
    const auto image = counting_image(3, 5, channels);
    const auto decoded = decode_image(encode_png(image), "x");
    EXPECT_EQ(decoded.height, 3);
    EXPECT_EQ(decoded.width, 5);
    EXPECT_EQ(decoded.channels, channels);
    EXPECT_EQ(decoded.pixels, image.pixels);
  }
}

TEST(ImageFile, CompositesTransparentPngsOverWhite) {
  const auto clear = decode_image(encode_png(plain_image(2, 2, {10, 20, 30, 0})), "x");
  EXPECT_EQ(clear.channels, 3);
  EXPECT_THAT(clear.pixels, Each(255));
  const auto solid = decode_image(encode_png(plain_image(2, 2, {10, 20, 30, 255})), "x");
  EXPECT_EQ(solid.pixels, plain_image(2, 2, {10, 20, 30}).pixels);
  const auto gray = decode_image(encode_png(plain_image(2, 2, {10, 0})), "x");
  EXPECT_EQ(gray.channels, 1);
  EXPECT_THAT(gray.pixels, Each(255));
}

TEST(ImageFile, JpegRoundTripsApproximately) {
  const auto color = decode_image(encode_jpeg(plain_image(9, 17, {200, 40, 90})), "x");
  ASSERT_EQ(color.bytes(), 9U * 17 * 3);
  EXPECT_EQ(color.height, 9);
  EXPECT_NEAR(color.pixels[0], 200, 3);
  EXPECT_NEAR(color.pixels[1], 40, 3);
  EXPECT_NEAR(color.pixels[2], 90, 3);
  const auto gray = decode_image(encode_jpeg(plain_image(8, 8, {77})), "x");
  EXPECT_EQ(gray.channels, 1);
  EXPECT_NEAR(gray.pixels[0], 77, 2);
}

TEST(ImageFile, RejectsEveryTruncation) {
  // libjpeg does not need the last bytes of a JPEG.
  for (const auto& [whole, spare] : {std::pair(encode_jpeg(counting_image(16, 16, 3)), 16U),
                                     std::pair(encode_png(counting_image(16, 16, 3)), 0U)}) {
    for (size_t size = 0; size + spare < whole.size(); ++size) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<int64_t>(size));
      EXPECT_THAT(error_about_image(cut), HasSubstr("cat/a.jpg is ")) << size;
    }
  }
}

TEST(ImageFile, RejectsPngsWithoutEndMarker) {
  const auto whole = encode_png(counting_image(16, 16, 3));
  constexpr int kEndChunk = 12;
  Bytes cut(whole.begin(), whole.end() - kEndChunk);
  EXPECT_THAT(error_about_image(cut), HasSubstr("end marker (IEND) is missing"));
  // A chunk that claims more bytes than there are does not hide it.
  cut.insert(cut.end(), {0xFF, 0xFF, 0xFF, 0xF4, 't', 'E', 'X', 't', 0, 0, 0, 0});
  EXPECT_THAT(error_about_image(cut), HasSubstr("end marker (IEND) is missing"));
  auto longer = whole;
  longer.push_back(7);
  EXPECT_EQ(decode_image(longer, "x").width, 16) << "some programs append data";
}

TEST(ImageFile, ReportsEachKindOfInvalidFile) {
  EXPECT_THAT(error_about_image({}), HasSubstr("cat/a.jpg is empty"));
  EXPECT_THAT(error_about_image(testing::octets_of("hello")),
              HasSubstr("is not a supported image"));
  EXPECT_THAT(error_about_image(testing::octets_of("version https://git-lfs.github.com/spec/v1\n")),
              AllOf(HasSubstr("is a Git LFS pointer"), HasSubstr("git lfs pull")));
}

TEST(ImageFile, RejectsSmallFilesThatDeclareLargeImages) {
  auto jpeg = encode_jpeg(plain_image(8, 8, {0}));
  const Bytes frame = {0xFF, 0xC0};
  const auto found = std::search(jpeg.begin(), jpeg.end(), frame.begin(), frame.end());
  ASSERT_NE(found, jpeg.end());
  const auto claim = [&](uint8_t high_byte) {
    found[5] = found[7] = high_byte;  // height and width, after marker, length and precision
    return error_about_image(jpeg);
  };
  EXPECT_THAT(claim(0xFF), AllOf(HasSubstr("65288 x 65288"), HasSubstr("at most 32000000")));
  EXPECT_THAT(claim(0x10), AllOf(HasSubstr("4104 x 4104"), HasSubstr("bytes can encode")));
}

TEST(ImageFile, DetectsFormatByContentNotByName) {
  const testing::ScratchDir dir;
  testing::write_file(dir.path() / "a.jpg", encode_png(plain_image(2, 3, {9})));
  EXPECT_EQ(read_image(dir.path() / "a.jpg", "a.jpg").width, 3);
}

}  // namespace
}  // namespace projnce::io
