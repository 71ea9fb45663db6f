#include "projnce/report/page/thumbnail_sheets.h"

#include <gtest/gtest.h>

#include "projnce/core/seed.h"
#include "projnce/io/image/image_file.h"
#include "tests/support/data_files.h"
#include "tests/support/sample_dataset.h"

namespace projnce::report {
namespace {

dataset::DatasetPtr plain_images(const std::vector<std::array<uint8_t, 3>>& colors, int side) {
  std::vector<Sample> samples;
  for (const auto& color : colors) {
    samples.push_back(testing::plain_image(side, side, {color[0], color[1], color[2]}));
  }
  return testing::sample_dataset(SampleKind::kImage, std::move(samples),
                                 std::vector<int64_t>(colors.size(), 0), {"one"});
}

Image noise_image(int side, uint64_t seed) {
  Image image{side, side, 3, {}};
  Random random(seed);
  for (int i = 0; i < side * side * 3; ++i) {
    image.pixels.push_back(static_cast<uint8_t>(random.below(256)));
  }
  return image;
}

Image decoded(const std::vector<uint8_t>& jpeg) {
  return io::decode_image(jpeg, "sheet");
}

size_t total_bytes(const ThumbnailSheets& sheets) {
  size_t bytes = 0;
  for (const auto& sheet : sheets.sheets) bytes += sheet.size();
  return bytes;
}

TEST(ThumbnailSheets, PlacesImagesInOrder) {
  const auto dataset = plain_images({{255, 0, 0}, {0, 255, 0}, {0, 0, 255}}, 32);
  const auto sheets = make_thumbnail_sheets(dataset, {2, 0}, {.bytes = 1 << 20});
  ASSERT_EQ(sheets.sheets.size(), 1U);
  EXPECT_EQ(sheets.side, 32) << "not larger than the images";
  EXPECT_EQ(sheets.columns, 2);
  const auto image = decoded(sheets.sheets[0]);
  EXPECT_EQ(image.width, 64);
  const auto at = [&](int x) { return image.pixels.data() + (16 * 64 + x) * 3; };
  EXPECT_GT(at(16)[2], 240) << "sample 2 is blue and comes first";
  EXPECT_GT(at(48)[0], 240) << "sample 0 is red";
}

TEST(ThumbnailSheets, GrayscaleImagesStayGray) {
  const auto dataset = plain_images({{9, 9, 9}, {200, 200, 200}}, 16);
  const auto sheets = make_thumbnail_sheets(dataset, {0, 1}, {.bytes = 1 << 20});
  EXPECT_EQ(decoded(sheets.sheets[0]).channels, 1);
}

TEST(ThumbnailSheets, FewBytesMakeSmallerImages) {
  std::vector<Sample> samples;
  std::vector<int64_t> all;
  for (uint64_t i = 0; i < 200; ++i) {
    samples.emplace_back(noise_image(96, i));
    all.push_back(static_cast<int64_t>(i));
  }
  const auto dataset =
      testing::sample_dataset(SampleKind::kImage, samples, std::vector<int64_t>(200, 0), {"one"});
  const auto rich = make_thumbnail_sheets(dataset, all, {.bytes = size_t{200} * 20'000});
  const auto poor = make_thumbnail_sheets(dataset, all, {.bytes = size_t{200} * 500});
  EXPECT_EQ(rich.side, 96);
  EXPECT_LT(poor.side, rich.side);
  EXPECT_LT(total_bytes(poor), size_t{200} * 600);
}

TEST(ThumbnailSheets, ManySamplesTakeSeveralSheets) {
  const auto dataset = plain_images({{1, 2, 3}}, 16);
  const std::vector<int64_t> many(1025, 0);
  const auto sheets = make_thumbnail_sheets(dataset, many, {.bytes = 1 << 20});
  ASSERT_EQ(sheets.sheets.size(), 2U);
  EXPECT_EQ(sheets.per_sheet, 1024);
  EXPECT_EQ(decoded(sheets.sheets[0]).height, 32 * 16);
  EXPECT_EQ(decoded(sheets.sheets[1]).height, 16);
}

TEST(ThumbnailSheets, CorruptSampleIsCrossAndNoSamplesGiveNoSheets) {
  const auto dataset = testing::sample_dataset(
      SampleKind::kImage, {testing::plain_image(16, 16, {0, 0, 0}), Image{}}, {0, 0}, {"one"});
  const auto sheets = make_thumbnail_sheets(dataset, {1}, {.bytes = 1 << 20});
  EXPECT_GT(decoded(sheets.sheets.at(0)).pixels[0], 150) << "gray, not black";
  EXPECT_TRUE(make_thumbnail_sheets(dataset, {}, {.bytes = 1 << 20}).sheets.empty());
}

}  // namespace
}  // namespace projnce::report
