#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/io/image/image_file.h"
#include "tests/support/data_files.h"
#include "tests/support/test_images.h"

namespace projnce::io {
namespace {

using testing::Bytes;
using testing::encode_jpeg;
using testing::JpegStyle;
using testing::random_image;
using testing::Subsampling;

constexpr Subsampling kSubsamplings[] = {Subsampling::k444, Subsampling::k422, Subsampling::k420,
                                         Subsampling::k440, Subsampling::k411};

Image decode_region(const Bytes& bytes, const DecodeRegion& region) {
  return decode_image(bytes, "x", [&](int, int) { return region; });
}

PixelBox random_box(int height, int width, Random& random) {
  const auto draw = [&](int below) { return static_cast<int>(random.below(below)); };
  const int top = draw(height);
  const int left = draw(width);
  return {top, left, 1 + draw(height - top), 1 + draw(width - left)};
}

/// Smooth waves, so that a reduced pixel resembles the mean of the pixels it covers; chroma is
/// smoother still because of subsampling.
Image waves(int height, int width, int channels) {
  auto image = testing::constant_image(height, width, channels, 0);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    const auto place = static_cast<double>(i / static_cast<size_t>(channels));
    const double y = std::floor(place / width);
    const double x = place - y * width;
    const double phase = 0.1 * static_cast<double>(i % static_cast<size_t>(channels));
    image.pixels[i] =
        static_cast<uint8_t>(128 + 60 * std::sin(x / 19 + phase) + 50 * std::cos(y / 23 - phase));
  }
  return image;
}

/// Expects the unreduced pixels of the part to equal those of the whole image.
void expect_same_pixels(const Image& part, const Image& whole) {
  const auto box = part.window ? part.window->box : PixelBox{0, 0, whole.height, whole.width};
  ASSERT_EQ(part.height, box.height);
  ASSERT_EQ(part.width, box.width);
  ASSERT_EQ(part.channels, whole.channels);
  const size_t row_bytes = static_cast<size_t>(box.width) * static_cast<size_t>(whole.channels);
  for (int y = 0; y < box.height; ++y) {
    const auto from =
        (static_cast<ptrdiff_t>(box.top + y) * whole.width + box.left) * whole.channels;
    const auto row = part.pixels.begin() + static_cast<ptrdiff_t>(row_bytes) * y;
    ASSERT_TRUE(
        std::equal(row, row + static_cast<ptrdiff_t>(row_bytes), whole.pixels.begin() + from))
        << "row " << y;
  }
}

/// Expects each reduced pixel to be close to the mean of the pixels it covers.
void expect_means(const Image& part, const Image& whole, double tolerance) {
  ASSERT_TRUE(part.window);
  const auto& [full_height, full_width, box, reduction] = *part.window;
  EXPECT_EQ(box.height, part.height * reduction);
  EXPECT_EQ(box.width, part.width * reduction);
  for (int y = 0; y < part.height; ++y) {
    for (int x = 0; x < part.width; ++x) {
      double sum = 0;
      int count = 0;
      for (int row = box.top + y * reduction; row < box.top + (y + 1) * reduction; ++row) {
        for (int column = box.left + x * reduction; column < box.left + (x + 1) * reduction;
             ++column) {
          if (row < 0 || column < 0 || row >= full_height || column >= full_width) continue;
          sum += whole.pixels[static_cast<size_t>((row * full_width + column) * whole.channels)];
          ++count;
        }
      }
      ASSERT_GT(count, 0);
      const auto place = static_cast<size_t>((y * part.width + x) * part.channels);
      ASSERT_NEAR(part.pixels[place], sum / count, tolerance) << y << ", " << x;
    }
  }
}

TEST(ImageRegion, UnreducedPixelsEqualTheWholeImage) {
  Random random(1);
  for (const int channels : {1, 3, 4}) {
    for (const auto colors : kSubsamplings) {
      const auto jpeg = encode_jpeg(random_image(75, 118, channels, 1), {colors});
      const auto whole = decode_image(jpeg, "x");
      for (int trial = 0; trial < 60; ++trial) {
        const auto box = random_box(75, 118, random);
        const auto part = decode_region(jpeg, {box, 1});
        const bool everything = box == PixelBox{0, 0, 75, 118};
        ASSERT_EQ(part.window.has_value(), !everything);
        if (!everything) {
          EXPECT_EQ(*part.window, (ImageWindow{75, 118, box, 1}));
        }
        expect_same_pixels(part, whole);
      }
    }
  }
}

TEST(ImageRegion, ProgressiveFilesGiveTheSamePixels) {
  Random random(2);
  const auto jpeg = encode_jpeg(random_image(75, 118, 3, 1), {Subsampling::k420, true});
  const auto whole = decode_image(jpeg, "x");
  for (int trial = 0; trial < 20; ++trial) {
    const auto part = decode_region(jpeg, {random_box(75, 118, random), 1});
    expect_same_pixels(part, whole);
  }
}

TEST(ImageRegion, PngFilesAreDecodedCompletely) {
  const auto image = random_image(9, 13, 3, 1);
  const auto part = decode_region(testing::encode_png(image), {{1, 1, 2, 2}, 4});
  EXPECT_EQ(part.pixels, image.pixels);
  EXPECT_FALSE(part.window);
}

TEST(ImageRegion, RequiredRegionReceivesTheDisplayedSize) {
  const auto jpeg = encode_jpeg(waves(40, 64, 3));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    decode_image(testing::with_orientation(jpeg, orientation), "x", [&](int height, int width) {
      EXPECT_EQ(height, orientation <= 4 ? 40 : 64);
      EXPECT_EQ(width, orientation <= 4 ? 64 : 40);
      return DecodeRegion{{0, 0, 1, 1}};
    });
  }
}

TEST(ImageRegion, UsesTheLargestAllowedReduction) {
  const auto jpeg = encode_jpeg(waves(64, 64, 3));
  const PixelBox all{0, 0, 64, 64};
  for (const auto& [allowed, taken] : {std::pair{0.5, 1},
                                       {1.99, 1},
                                       {2.0, 2},
                                       {3.9, 2},
                                       {4.0, 4},
                                       {7.9, 4},
                                       {8.0, 8},
                                       {99.0, 8}}) {
    const auto part = decode_region(jpeg, {all, allowed});
    EXPECT_EQ(part.height, 64 / taken) << allowed;
    EXPECT_EQ(part.window.has_value(), taken > 1);
  }
}

TEST(ImageRegion, ReducedPixelsAreMeansAtEveryScale) {
  Random random(3);
  for (const int channels : {1, 3}) {
    for (const auto colors : kSubsamplings) {
      for (const bool progressive : {false, true}) {
        const auto jpeg = encode_jpeg(waves(75, 118, channels), {colors, progressive});
        const auto whole = decode_image(jpeg, "x");
        for (const int reduction : {2, 4, 8}) {
          for (int trial = 0; trial < 10; ++trial) {
            const auto box = random_box(75, 118, random);
            const auto part = decode_region(jpeg, {box, double(reduction)});
            ASSERT_EQ(part.window->reduction, reduction);
            EXPECT_LE(part.window->box.top, box.top);
            EXPECT_GE(part.window->box.top + part.window->box.height, box.top + box.height);
            EXPECT_LT(part.window->box.height, box.height + 2 * reduction);
            expect_means(part, whole, 5);
          }
        }
      }
    }
  }
}

TEST(ImageRegion, RotatedImagesKeepTheirPixelsAndWindow) {
  Random random(4);
  const auto upright = encode_jpeg(waves(75, 118, 3), {Subsampling::k420});
  for (int orientation = 1; orientation <= 8; ++orientation) {
    SCOPED_TRACE(orientation);
    const auto jpeg = testing::with_orientation(upright, orientation);
    const auto whole = decode_image(jpeg, "x");
    for (int trial = 0; trial < 20; ++trial) {
      const auto box = random_box(whole.height, whole.width, random);
      const auto part = decode_region(jpeg, {box, 1});
      if (part.window) {
        EXPECT_EQ(part.window->box, box);
      }
      expect_same_pixels(part, whole);
      for (const int reduction : {2, 4, 8}) {
        const auto small = decode_region(jpeg, {box, double(reduction)});
        ASSERT_EQ(small.full_height(), whole.height);
        expect_means(small, whole, 5);
      }
    }
  }
}

TEST(ImageRegion, ClipsBoxesToTheImage) {
  const auto jpeg = encode_jpeg(waves(20, 30, 3));
  const auto whole = decode_image(jpeg, "x");
  for (const auto& box : {PixelBox{-5, -5, 100, 100}, PixelBox{25, 40, 3, 3}, PixelBox{3, 4, 0, 0},
                          PixelBox{-9, -9, 2, 2}}) {
    expect_same_pixels(decode_region(jpeg, {box, 1}), whole);
  }
}

TEST(ImageRegion, RejectsFilesTruncatedWithinThePart) {
  const auto whole = encode_jpeg(random_image(64, 64, 3, 5), {Subsampling::k420});
  const auto pixels = decode_image(whole, "x");
  int rejected = 0;
  for (size_t size = 0; size < whole.size(); size += 7) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    try {
      // The result is correct: the file is truncated after it.
      expect_same_pixels(decode_region(cut, {{20, 20, 12, 12}, 1}), pixels);
    } catch (const Error& error) {
      ++rejected;
      EXPECT_THAT(error.what(), ::testing::HasSubstr("x is ")) << size;
    }
    EXPECT_THROW(decode_region(cut, {{60, 20, 4, 4}, 1}), Error) << size;
  }
  EXPECT_GT(rejected, static_cast<int>(whole.size() / 7 / 4));
}

TEST(ImageRegion, CorruptFilesGiveAnErrorOrAPart) {
  Random random(6);
  const auto whole = encode_jpeg(random_image(48, 80, 3, 7), {Subsampling::k420});
  for (int trial = 0; trial < 1500; ++trial) {
    auto bytes = whole;
    for (int i = 0; i < 4; ++i) {
      bytes[static_cast<size_t>(random.below(static_cast<int64_t>(bytes.size())))] =
          static_cast<uint8_t>(random.below(256));
    }
    const double reduction = static_cast<double>(1 << random.below(4));
    try {
      const auto part = decode_image(bytes, "x", [&](int height, int width) {
        return DecodeRegion{random_box(height, width, random), reduction};
      });
      EXPECT_EQ(part.bytes(), size_t(part.height) * size_t(part.width) * size_t(part.channels));
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace projnce::io
