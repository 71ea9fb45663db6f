#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jpeglib.h>

#include <algorithm>
#include <cstdlib>

#include "projnce/io/image/image_file.h"
#include "tests/support/data_files.h"
#include "tests/support/error_message.h"
#include "tests/support/test_images.h"

namespace projnce::io {
namespace {

using testing::Bytes;
using testing::encode_jpeg;
using ::testing::HasSubstr;
using testing::plain_image;
using testing::with_app1;
using testing::with_orientation;

/// Brightness depends on row and column, so that every orientation gives a different image.
Image gradient(int height, int width) {
  auto image = plain_image(height, width, {0});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      image.pixels[static_cast<size_t>(y * width + x)] = static_cast<uint8_t>(8 * y + 3 * x);
    }
  }
  return image;
}

uint8_t pixel(const Image& image, int y, int x) {
  return image.pixels[static_cast<size_t>(y * image.width + x)];
}

TEST(Jpeg, AppliesTheOrientation) {
  const auto jpeg = encode_jpeg(gradient(16, 24));
  const auto file = decode_image(jpeg, "x");
  const int bottom = 15;
  const int right = 23;
  // File position of image pixel (y, x), listed by EXIF's names of row 0 and column 0.
  using Place = std::pair<int, int>;
  const std::vector<std::function<Place(int, int)>> places = {
      [&](int y, int x) {
        return Place{y, x};
      },  // top, left
      [&](int y, int x) {
        return Place{y, right - x};
      },  // top, right
      [&](int y, int x) {
        return Place{bottom - y, right - x};
      },  // bottom, right
      [&](int y, int x) {
        return Place{bottom - y, x};
      },  // bottom, left
      [&](int y, int x) {
        return Place{x, y};
      },  // left, top
      [&](int y, int x) {
        return Place{bottom - x, y};
      },  // right, top
      [&](int y, int x) {
        return Place{bottom - x, right - y};
      },  // right, bottom
      [&](int y, int x) {
        return Place{x, right - y};
      },  // left, bottom
  };
  for (int orientation = 1; orientation <= 8; ++orientation) {
    SCOPED_TRACE(orientation);
    const auto image = decode_image(with_orientation(jpeg, orientation), "x");
    ASSERT_EQ(image.height, orientation <= 4 ? 16 : 24);
    ASSERT_EQ(image.width, orientation <= 4 ? 24 : 16);
    EXPECT_FALSE(image.window);
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        const auto [row, column] = places[static_cast<size_t>(orientation - 1)](y, x);
        ASSERT_EQ(pixel(image, y, x), pixel(file, row, column)) << y << ", " << x;
      }
    }
  }
}

TEST(Jpeg, IgnoresCorruptExif) {
  const auto jpeg = encode_jpeg(gradient(16, 24));
  const auto upright = decode_image(jpeg, "x");
  for (size_t size = 0; size < 30; ++size) {
    auto content = testing::exif_content(6, true);
    content.resize(size);
    EXPECT_EQ(decode_image(with_app1(jpeg, content), "x").pixels, upright.pixels) << size;
  }
}

TEST(Jpeg, FindsExifAfterOtherSegments) {
  const auto jpeg = encode_jpeg(gradient(16, 24));
  const auto behind =
      with_app1(with_orientation(jpeg, 6), testing::octets_of("http://ns.adobe.com"));
  EXPECT_EQ(decode_image(behind, "x").height, 24);
}

TEST(Jpeg, ConvertsAdobeCmykToRgb) {
  const auto first_pixel = [](const Bytes& inks) {
    const auto image = decode_image(encode_jpeg(plain_image(8, 8, inks)), "x");
    EXPECT_EQ(image.channels, 3);
    EXPECT_EQ(image.bytes(), 8U * 8 * 3);
    return std::vector<int>(image.pixels.begin(), image.pixels.begin() + 3);
  };
  using ::testing::ElementsAre;
  const auto about = [](int value) {
    return ::testing::AllOf(::testing::Ge(value - 3), ::testing::Le(value + 3));
  };
  EXPECT_THAT(first_pixel({255, 255, 255, 255}), ElementsAre(about(255), about(255), about(255)));
  EXPECT_THAT(first_pixel({255, 255, 255, 0}), ElementsAre(about(0), about(0), about(0)));
  EXPECT_THAT(first_pixel({200, 100, 50, 255}), ElementsAre(about(200), about(100), about(50)));
  EXPECT_THAT(first_pixel({200, 100, 50, 128}), ElementsAre(about(100), about(50), about(25)));
}

TEST(Jpeg, ConvertsCmykWithoutAdobeMarker) {
  auto jpeg = encode_jpeg(plain_image(8, 8, {255, 255, 255, 255}));
  const Bytes mark = {'A', 'd', 'o', 'b', 'e'};
  const auto found = std::search(jpeg.begin(), jpeg.end(), mark.begin(), mark.end());
  ASSERT_NE(found, jpeg.end());
  *found = 'X';
  // Without the marker, the values are not inverted; here black is 255.
  EXPECT_LT(decode_image(jpeg, "x").pixels[0], 4);
}

TEST(Jpeg, DecodesEveryColorLayout) {
  for (const auto colors :
       {testing::Subsampling::k444, testing::Subsampling::k422, testing::Subsampling::k420,
        testing::Subsampling::k440, testing::Subsampling::k411}) {
    for (const bool progressive : {false, true}) {
      const auto image =
          decode_image(encode_jpeg(plain_image(21, 35, {200, 40, 90}), {colors, progressive}), "x");
      ASSERT_EQ(image.bytes(), 21U * 35 * 3);
      EXPECT_NEAR(image.pixels.end()[-3], 200, 4);
      EXPECT_NEAR(image.pixels.end()[-2], 40, 4);
    }
  }
}

/// Removes the third component from the segment with this marker. The component is `size` bytes at
/// offset `at`, and the number of components is at offset `count_at`, both relative to the marker.
void drop_component(Bytes& jpeg, uint8_t marker, int count_at, int at, int size) {
  const Bytes start = {0xFF, marker};
  const auto found = std::search(jpeg.begin(), jpeg.end(), start.begin(), start.end());
  ASSERT_NE(found, jpeg.end());
  found[3] = static_cast<uint8_t>(found[3] - size);
  found[count_at] = 2;
  jpeg.erase(found + at, found + at + size);
}

TEST(Jpeg, RejectsUnknownColorSpaces) {
  auto jpeg = encode_jpeg(plain_image(8, 8, {1, 2, 3}));
  drop_component(jpeg, 0xC0, 9, 16, 3);  // of the frame
  drop_component(jpeg, 0xDA, 4, 9, 2);   // of the scan
  const auto message = testing::error_message_of([&] { decode_image(jpeg, "a.jpg"); });
  EXPECT_THAT(message, HasSubstr("a.jpg is a JPEG with 2 components"));
}

/// A white progressive JPEG with a scan for each of the first `scans` coefficients of a block.
Bytes encode_many_scans(int side, int scans) {
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  jpeg_create_compress(&state);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&state, &bytes, &size);
  state.image_width = state.image_height = static_cast<JDIMENSION>(side);
  state.input_components = 1;
  state.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&state);
  std::vector<jpeg_scan_info> script;
  for (int k = 0; k < scans; ++k) {
    script.push_back({.comps_in_scan = 1,
                      .component_index = {0},
                      .Ss = k,
                      .Se = k + 1 == scans ? 63 : k,
                      .Ah = 0,
                      .Al = 0});
  }
  state.scan_info = script.data();
  state.num_scans = scans;
  jpeg_start_compress(&state, TRUE);
  Bytes row(static_cast<size_t>(side), 255);
  while (state.next_scanline < state.image_height) {
    JSAMPROW line = row.data();
    jpeg_write_scanlines(&state, &line, 1);
  }
  jpeg_finish_compress(&state);
  Bytes result(bytes, bytes + size);
  jpeg_destroy_compress(&state);
  std::free(bytes);
  return result;
}

TEST(Jpeg, LimitsTheScansOfLargeImages) {
  EXPECT_EQ(decode_image(encode_many_scans(64, 60), "x").width, 64) << "few pixels";
  EXPECT_EQ(decode_image(encode_many_scans(5600, 12), "x").width, 5600) << "few scans";
  // Several hundred such scans in 90 kB took nine seconds, when only their number was limited.
  const auto jpeg = encode_many_scans(5600, 60);
  EXPECT_THAT(testing::error_message_of([&] { decode_image(jpeg, "a.jpg"); }),
              HasSubstr("a.jpg is a corrupt JPEG: more than 32 scans"));
}

}  // namespace
}  // namespace projnce::io
