#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/io/image/image_file.h"
#include "tests/support/error_message.h"
#include "tests/support/image_files.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using testing::Bytes;
using ::testing::HasSubstr;

std::string error_about(const Bytes& bytes) {
  return testing::error_message_of([&] { decode_image(bytes, "cat/a.bin"); });
}

Image speckled_image(int channels) {
  auto image = testing::plain_image(13, 17, Bytes(static_cast<size_t>(channels)));
  Random random(7);
  for (auto& pixel : image.pixels) pixel = static_cast<uint8_t>(random.below(256));
  return image;
}

/// A file, and the number of its last bytes that decoding the pixels does not need.
struct WholeFile {
  const char* name;
  Bytes bytes;
  size_t spare = 0;
};

std::vector<WholeFile> whole_files() {
  const auto color = speckled_image(3);
  const auto gray = speckled_image(1);
  return {
      {"bmp", testing::encode_bmp(color)},
      {"gray bmp", testing::encode_bmp(gray)},
      {"gif", testing::encode_gif({gray}), 1},
      {"interlaced gif", testing::encode_gif({gray}, {.interlaced = true, .transparent = 3}), 1},
      {"webp", testing::encode_webp(color)},
      {"transparent webp", testing::encode_webp(speckled_image(4))},
      {"animated webp", testing::encode_webp_animation({color, color})},
      {"plain tiff", testing::encode_tiff(color, {.compression = 1})},
      {"lzw tiff", testing::encode_tiff(color)},
      {"deflate tiff", testing::encode_tiff(gray, {.compression = 8, .bits = 16})},
      {"tiled tiff", testing::encode_tiff(color, {.compression = 8, .tiled = true})},
      {"cmyk tiff", testing::encode_tiff(speckled_image(4), {.cmyk = true})},
  };
}

TEST(HostileImages, RejectsEveryTruncation) {
  for (const auto& [name, bytes, spare] : whole_files()) {
    EXPECT_EQ(decode_image(bytes, name).width, 17) << name;
    for (size_t size = 0; size + spare < bytes.size(); ++size) {
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<int64_t>(size));
      EXPECT_THAT(error_about(cut), HasSubstr("cat/a.bin ")) << name << " of " << size;
    }
  }
}

TEST(HostileImages, ChangedBitsGiveAnImageOrAnError) {
  constexpr int kTrials = 1500;
  Random random(11);
  for (const auto& [name, bytes, spare] : whole_files()) {
    for (int trial = 0; trial < kTrials; ++trial) {
      auto changed = bytes;
      for (int i = 0; i <= trial % 3; ++i) {
        // Prefer changes in the header.
        const auto range = trial % 2 == 0 ? changed.size() : std::min<size_t>(changed.size(), 64);
        changed[static_cast<size_t>(random.below(static_cast<int64_t>(range)))] ^=
            static_cast<uint8_t>(1U << random.below(8));
      }
      try {
        const auto image = decode_image(changed, "x");
        ASSERT_EQ(image.bytes(), static_cast<size_t>(image.height) *
                                     static_cast<size_t>(image.width) *
                                     static_cast<size_t>(image.channels))
            << name;
        ASSERT_LE(int64_t{image.height} * image.width, kMaxImagePixels) << name;
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::kInput) << name << ": " << error.what();
      }
    }
  }
}

TEST(HostileImages, RejectsSmallFilesThatDeclareLargeImages) {
  auto bmp = testing::encode_bmp(speckled_image(3));
  for (const size_t byte : {19U, 23U}) bmp[byte] = 0xFF;  // width and height
  EXPECT_THAT(error_about(bmp), AllOf(HasSubstr("65297 x 65293"), HasSubstr("at most")));
  for (const size_t byte : {19U, 23U}) bmp[byte] = 0x08;
  EXPECT_THAT(error_about(bmp), HasSubstr("bytes can encode"));

  auto gif = testing::encode_gif({speckled_image(1)});
  for (const size_t byte : {7U, 9U}) gif[byte] = 0xFF;
  EXPECT_THAT(error_about(gif), HasSubstr("65297 x 65293"));
  for (const size_t byte : {7U, 9U}) gif[byte] = 0x10;
  EXPECT_THAT(error_about(gif), HasSubstr("bytes can encode"));

  auto webp = testing::encode_webp(speckled_image(3));
  for (const size_t byte : {21U, 22U, 23U}) webp[byte] = 0xFF;  // 14 bits each
  webp[24] |= 0x0F;
  EXPECT_THAT(error_about(webp), HasSubstr("at most 32000000"));

  const auto claim = [](uint16_t width) {
    auto tiff = testing::encode_tiff(speckled_image(1), {.compression = 8});
    const Bytes tag = {0x00, 0x01, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00};  // of the width
    const auto found = std::search(tiff.begin(), tiff.end(), tag.begin(), tag.end());
    for (const int entry : {0, 12}) {  // the height follows
      found[entry + 8] = static_cast<uint8_t>(width);
      found[entry + 9] = static_cast<uint8_t>(width >> 8);
    }
    return error_about(tiff);
  };
  EXPECT_THAT(claim(60000), AllOf(HasSubstr("60000 x 60000"), HasSubstr("at most 32000000")));
  EXPECT_THAT(claim(5000), HasSubstr("bytes can encode"));
}

TEST(HostileImages, RejectsHugeTilesWithoutAllocating) {
  auto tiff = testing::encode_tiff(speckled_image(3), {.tiled = true});
  const Bytes tag = {0x42, 0x01, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00};  // of the tile width
  const auto found = std::search(tiff.begin(), tiff.end(), tag.begin(), tag.end());
  ASSERT_NE(found, tiff.end());
  for (const int entry : {0, 12}) found[entry + 8] = 0xF0, found[entry + 9] = 0xFF;
  EXPECT_THAT(error_about(tiff), HasSubstr("cat/a.bin is a corrupt TIFF"));
}

}  // namespace
}  // namespace projnce::io
