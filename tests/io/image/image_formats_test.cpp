#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/io/image/image_file.h"
#include "tests/support/error_message.h"
#include "tests/support/image_files.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using testing::Bytes;
using testing::counting_image;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::encode_bmp;
using testing::encode_gif;
using testing::encode_tiff;
using testing::encode_webp;
using ::testing::HasSubstr;
using testing::plain_image;

/// The colors of encode_gif's palette.
Image in_palette_colors(const Image& indices) {
  auto image = plain_image(indices.height, indices.width, {0, 0, 7});
  for (size_t i = 0; i < indices.pixels.size(); ++i) {
    image.pixels[3 * i] = indices.pixels[i];
    image.pixels[3 * i + 1] = static_cast<uint8_t>(255 - indices.pixels[i]);
  }
  return image;
}

void expect_same_image(const Image& found, const Image& expected) {
  EXPECT_EQ(found.height, expected.height);
  EXPECT_EQ(found.width, expected.width);
  EXPECT_EQ(found.channels, expected.channels);
  EXPECT_EQ(found.pixels, expected.pixels);
}

std::string error_about_format(const Bytes& bytes) {
  return testing::error_message_of([&] { decode_image(bytes, "cat/a.bin"); });
}

void put_number(Bytes& bytes, size_t offset, uint32_t number) {
  for (size_t i = 0; i < 4; ++i) bytes[offset + i] = static_cast<uint8_t>(number >> (8 * i));
}

TEST(ImageFormats, LosslessFilesRoundTripExactly) {
  const auto color = counting_image(5, 7, 3);
  const auto gray = counting_image(5, 7, 1);
  for (const auto& bytes : {encode_bmp(color), encode_webp(color), encode_tiff(color)}) {
    expect_same_image(decode_image(bytes, "x"), color);
  }
  for (const auto& bytes : {encode_bmp(gray), encode_tiff(gray)}) {
    expect_same_image(decode_image(bytes, "x"), gray);
  }
  expect_same_image(decode_image(encode_gif({gray}), "x"), in_palette_colors(gray));
}

TEST(ImageFormats, ImageWithoutColorHasOneChannel) {
  auto image = plain_image(2, 3, {0, 0, 0});
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<uint8_t>(40 * (i / 3));
  }
  for (const auto& bytes : {encode_bmp(image), encode_webp(image), encode_tiff(image)}) {
    const auto decoded = decode_image(bytes, "x");
    EXPECT_EQ(decoded.channels, 1);
    EXPECT_THAT(decoded.pixels, ElementsAre(0, 40, 80, 120, 160, 200));
  }
}

TEST(ImageFormats, CompositesTransparentImagesOverWhite) {
  for (const auto encode : {+[](const Image& image) { return encode_webp(image); },
                            +[](const Image& image) { return encode_tiff(image); }}) {
    const auto clear = decode_image(encode(plain_image(2, 2, {10, 20, 30, 0})), "x");
    EXPECT_THAT(clear.pixels, Each(255));
    const auto half = decode_image(encode(plain_image(2, 2, {100, 0, 200, 128})), "x");
    EXPECT_NEAR(half.pixels[0], 177, 1);
    EXPECT_NEAR(half.pixels[1], 127, 1);
    EXPECT_NEAR(half.pixels[2], 227, 1);
  }
  const auto gif = decode_image(encode_gif({plain_image(2, 2, {9})}, {.transparent = 9}), "x");
  EXPECT_THAT(gif.pixels, Each(255));
}

TEST(Gif, DecodesTheFirstFrameOnItsCanvas) {
  const auto first = counting_image(9, 4, 1);
  const auto frames = std::vector<Image>{first, plain_image(9, 4, {200})};
  expect_same_image(decode_image(encode_gif(frames), "x"), in_palette_colors(first));
  expect_same_image(decode_image(encode_gif(frames, {.interlaced = true}), "x"),
                    in_palette_colors(first));

  const auto small = plain_image(1, 2, {50});
  const auto placed = decode_image(
      encode_gif({small}, {.canvas_width = 4, .canvas_height = 3, .left = 1, .top = 2}), "x");
  ASSERT_EQ(placed.width, 4);
  ASSERT_EQ(placed.height, 3);
  EXPECT_EQ(placed.pixels[(2 * 4 + 0) * 3], 255) << "white around the frame";
  EXPECT_EQ(placed.pixels[(2 * 4 + 1) * 3], 50);
  EXPECT_EQ(placed.pixels[(2 * 4 + 2) * 3], 50);
  EXPECT_EQ(placed.pixels[(2 * 4 + 3) * 3], 255);

  const auto larger = decode_image(
      encode_gif({small}, {.canvas_width = 1, .canvas_height = 1, .left = 3, .top = 4}), "x");
  EXPECT_EQ(larger.width, 5) << "a frame outside of the canvas makes it larger";
  EXPECT_EQ(larger.height, 5);
}

TEST(Gif, RejectsPaletteIndexOutOfRange) {
  auto bytes = encode_gif({plain_image(2, 2, {200})});
  bytes[10] = 0xF0;  // a palette of two colors; the rest is then parsed as another block
  EXPECT_THAT(error_about_format(bytes), HasSubstr("cat/a.bin is a corrupt GIF"));
}

TEST(WebP, DecodesTheFirstFrameOfAnAnimation) {
  const auto first = counting_image(6, 5, 3);
  const auto bytes = testing::encode_webp_animation({first, plain_image(6, 5, {1, 2, 3})});
  expect_same_image(decode_image(bytes, "x"), first);
}

TEST(Tiff, ReadsEveryPixelLayout) {
  const auto color = counting_image(19, 21, 3);
  const auto gray = counting_image(19, 21, 1);
  for (const int compression : {1, 5, 8, 32773, 32946}) {
    expect_same_image(decode_image(encode_tiff(color, {.compression = compression}), "x"), color);
    expect_same_image(decode_image(encode_tiff(gray, {.compression = compression}), "x"), gray);
  }
  expect_same_image(decode_image(encode_tiff(color, {.tiled = true}), "x"), color);
  expect_same_image(decode_image(encode_tiff(color, {.separate = true}), "x"), color);
  expect_same_image(decode_image(encode_tiff(color, {.bits = 16}), "x"), color);
  expect_same_image(decode_image(encode_tiff(gray, {.bits = 16}), "x"), gray);
  expect_same_image(decode_image(encode_tiff(color, {.pages = 3}), "x"), color);
}

TEST(Tiff, ConvertsCmykToRgb) {
  const auto image =
      decode_image(encode_tiff(plain_image(2, 2, {255, 0, 0, 0}), {.cmyk = true}), "x");
  EXPECT_EQ(image.channels, 3);
  EXPECT_THAT(Bytes(image.pixels.begin(), image.pixels.begin() + 3), ElementsAre(0, 255, 255));
}

TEST(Tiff, AppliesTheOrientation) {
  const auto image = counting_image(2, 3, 1);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const auto turned = decode_image(encode_tiff(image, {.orientation = orientation}), "x");
    EXPECT_EQ(turned.height, orientation >= 5 ? 3 : 2) << orientation;
  }
  const auto upside_down = decode_image(encode_tiff(image, {.orientation = 3}), "x");
  EXPECT_EQ(upside_down.pixels, Bytes(image.pixels.rbegin(), image.pixels.rend()));
  const auto turned = decode_image(encode_tiff(image, {.orientation = 6}), "x");
  EXPECT_THAT(turned.pixels, ElementsAre(33, 0, 44, 11, 55, 22));
}

TEST(Tiff, ReportsUnsupportedKinds) {
  const auto gray = plain_image(2, 2, {9});
  EXPECT_THAT(
      error_about_format(encode_tiff(gray, {.compression = 1, .is_float = true})),
      AllOf(HasSubstr("cat/a.bin is an unsupported kind of TIFF"), HasSubstr("8 or 16 bits")));
  auto old = encode_tiff(gray, {.compression = 1});
  const Bytes tag = {0x03, 0x01, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00};  // compression 1
  const auto found = std::search(old.begin(), old.end(), tag.begin(), tag.end());
  ASSERT_NE(found, old.end());
  found[8] = 6;  // old-style JPEG
  EXPECT_THAT(error_about_format(old),
              HasSubstr("a TIFF with compression 6, which is not supported"));
}

/// A BMP of 2 x 2 pixels with arbitrary header fields.
struct BmpParts {
  uint32_t bits = 24;
  uint32_t compression = 0;
  Bytes between = {};  ///< masks or palette
  Bytes rows = {};
  bool top_down = false;

  Bytes bytes() const {
    auto made = encode_bmp(plain_image(2, 2, {0, 0, 0}));
    made.resize(54);
    put_number(made, 10, static_cast<uint32_t>(54 + between.size()));
    if (top_down) put_number(made, 22, static_cast<uint32_t>(-2));
    made[28] = static_cast<uint8_t>(bits);
    put_number(made, 30, compression);
    made.insert(made.end(), between.begin(), between.end());
    made.insert(made.end(), rows.begin(), rows.end());
    return made;
  }
};

TEST(Bmp, ReadsEveryBitDepth) {
  const Bytes palette = {1, 2, 3, 0, 10, 20, 30, 0};  // blue, green, red, unused
  const auto expect_pixels = [](const BmpParts& parts, const Bytes& expected) {
    EXPECT_EQ(decode_image(parts.bytes(), "x").pixels, expected) << parts.bits;
  };
  // Rows are stored bottom-up, each padded to four bytes.
  const Bytes two_colors = {3, 2, 1, 30, 20, 10, 30, 20, 10, 3, 2, 1};
  expect_pixels({1, 0, palette, {0x80, 0, 0, 0, 0x40, 0, 0, 0}}, two_colors);
  expect_pixels({4, 0, palette, {0x10, 0, 0, 0, 0x01, 0, 0, 0}}, two_colors);
  expect_pixels({8, 0, palette, {1, 0, 0, 0, 0, 1, 0, 0}}, two_colors);
  expect_pixels({8, 0, palette, {0, 1, 0, 0, 1, 0, 0, 0}, true}, two_colors);
  expect_pixels({16, 0, {}, {0xFF, 0x7F, 0x00, 0x7C, 0xE0, 0x03, 0x1F, 0x00}},
                {0, 255, 0, 0, 0, 255, 255, 255, 255, 255, 0, 0});
  expect_pixels({32, 0, {}, {1, 2, 3, 9, 4, 5, 6, 9, 7, 8, 9, 9, 10, 11, 12, 9}},
                {9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4});
  const Bytes masks = {0, 0xF8, 0, 0, 0xE0, 0x07, 0, 0, 0x1F, 0, 0, 0};  // 5, 6, 5 bits
  expect_pixels({16, 3, masks, {0xFF, 0xFF, 0x00, 0xF8, 0xE0, 0x07, 0x1F, 0x00}},
                {0, 255, 0, 0, 0, 255, 255, 255, 255, 255, 0, 0});
}

TEST(Bmp, MissingPaletteEntriesAreBlack) {
  const auto image =
      decode_image(BmpParts{8, 0, {9, 9, 9, 0}, {0, 200, 0, 0, 0, 0, 0, 0}}.bytes(), "x");
  EXPECT_THAT(image.pixels, ElementsAre(9, 9, 9, 0));
}

TEST(Bmp, ReportsUnsupportedKinds) {
  EXPECT_THAT(error_about_format(BmpParts{8, 1, Bytes(1024), Bytes(8)}.bytes()),
              HasSubstr("a BMP with compression 1, which is not supported"));
  EXPECT_THAT(error_about_format(BmpParts{7, 0, {}, Bytes(8)}.bytes()),
              HasSubstr("7 bits per pixel"));
  EXPECT_THAT(error_about_format(BmpParts{8, 0, {}, Bytes(8)}.bytes()),
              HasSubstr("has no palette"));
  EXPECT_THAT(error_about_format(BmpParts{24, 0, {}, Bytes(15)}.bytes()), HasSubstr("truncated"));
}

TEST(ImageFormats, ReportsUnsupportedFormatsWithAdvice) {
  const auto file = [](const std::string& text) {
    return testing::octets_of(std::string(4, '\0') + text + std::string(20, 'x'));
  };
  EXPECT_THAT(error_about_format(file("ftypheic")),
              AllOf(HasSubstr("cat/a.bin is a HEIC image, which is not supported"),
                    HasSubstr("magick mogrify -format jpg *.heic")));
  EXPECT_THAT(error_about_format(file("ftypavif")), HasSubstr("AVIF"));
  EXPECT_THAT(error_about_format(testing::octets_of("\xFF\x0A...")), HasSubstr("JPEG XL"));
}

}  // namespace
}  // namespace projnce::io
