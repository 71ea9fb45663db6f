#include "projnce/dataset/contact_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "projnce/dataset/contact_page.h"
#include "projnce/io/image_file.h"
#include "tests/support/complaint.h"
#include "tests/support/data_files.h"
#include "tests/support/fake_dataset.h"
#include "tests/support/files.h"
#include "tests/support/sample_dataset.h"
#include "tests/support/scratch_dir.h"
#include "tests/support/sound_signals.h"

namespace projnce {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Pixel = std::array<int, 4>;

Pixel pixel(const Image& image, int row, int column) {
  Pixel values{};
  for (int c = 0; c < image.channels; ++c) {
    values.at(static_cast<size_t>(c)) =
        image.pixels.at(static_cast<size_t>((row * image.width + column) * image.channels + c));
  }
  return values;
}

int brightness(const Image& image, int row, int column) {
  const auto [r, g, b, a] = pixel(image, row, column);
  return r + g + b;
}

DatasetPtr pictures(std::vector<Sample> samples, std::vector<int64_t> labels,
                    std::vector<std::string> names) {
  return testing::sample_dataset(SampleKind::kImage, std::move(samples), std::move(labels),
                                 std::move(names));
}

TEST(ContactSheet, SamplesAreSpreadEvenlyOverTheClass) {
  std::vector<int64_t> labels(100);
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = i % 2;  // class 1: 1, 3, 5 ...
  const auto sheet =
      make_contact_sheet({testing::fake_dataset(labels), testing::fake_dataset({0, 1, 1})},
                         {.threads = 2}, {.columns = 5, .tile = 8});
  ASSERT_EQ(sheet.rows.size(), 2U);
  const auto& row = sheet.rows[1];
  EXPECT_EQ(row.name, "class-1");
  EXPECT_EQ(row.train, 50);
  EXPECT_EQ(row.test, 2);
  std::vector<int> shown;  // a sample of the fake dataset is a pixel of its number
  for (const auto& tile : row.tiles) shown.push_back(pixel(tile, 4, 4)[0]);
  EXPECT_THAT(shown, ElementsAre(1, 21, 41, 61, 81));
}

TEST(ContactSheet, ClassesBeyondTheRowsAreCounted) {
  std::vector<int64_t> labels(7);
  std::iota(labels.begin(), labels.end(), 0);
  const auto part = testing::fake_dataset(labels);
  const auto sheet = make_contact_sheet({part, part}, {}, {.rows = 3, .tile = 8});
  EXPECT_EQ(sheet.rows.size(), 3U);
  EXPECT_EQ(sheet.hidden_classes, 4);
  EXPECT_THAT(contact_page(sheet, "t", "s"), HasSubstr("4 more classes"));
}

TEST(ContactSheet, APictureKeepsItsProportions) {
  const auto wide = testing::plain_image(10, 40, {255, 0, 0});
  const auto part = pictures({wide}, {0}, {"a"});
  const auto sheet = make_contact_sheet({part, part}, {}, {.tile = 16});
  const auto& tile = sheet.rows.at(0).tiles.at(0);
  EXPECT_EQ(pixel(tile, 8, 0), (Pixel{255, 0, 0, 255}));
  EXPECT_EQ(pixel(tile, 6, 15), (Pixel{255, 0, 0, 255}));
  EXPECT_EQ(pixel(tile, 5, 8)[3], 0);
  EXPECT_EQ(pixel(tile, 10, 8)[3], 0);

  const auto whole = sheet_picture(sheet);  // a gap of 4 around the tile
  EXPECT_EQ(whole.channels, 3);
  EXPECT_EQ(pixel(whole, 4 + 8, 4), (Pixel{255, 0, 0, 0}));
  EXPECT_EQ(pixel(whole, 4 + 5, 4 + 8), (Pixel{255, 255, 255, 0}));
}

TEST(ContactSheet, ADamagedSampleIsACrossOnGrey) {
  const auto good = testing::plain_image(4, 4, {10, 20, 30});
  const auto part = pictures({good, Image{}}, {0, 0}, {"a"});
  const auto sheet = make_contact_sheet({part, part}, {}, {.tile = 72});
  const auto& tile = sheet.rows.at(0).tiles.at(1);
  const auto [r, g, b, a] = pixel(tile, 2, 36);
  EXPECT_TRUE(r == g && g == b && a == 255);
  EXPECT_NE(pixel(tile, 36, 36), pixel(tile, 2, 36));
  EXPECT_EQ(pixel(sheet.rows.at(0).tiles.at(0), 36, 36), (Pixel{10, 20, 30, 255}));
}

TEST(ContactSheet, AToneIsALineThatRisesWithItsPitch) {
  const int rate = 16000;
  const auto clip = [&](double hertz) { return Clip{rate, testing::tone(rate, hertz, 16000)}; };
  const auto part = testing::sample_dataset(
      SampleKind::kSound, {clip(300), clip(4000), Clip{rate, std::vector<float>(16000)}}, {0, 0, 0},
      {"a"});
  const auto sheet = make_contact_sheet({part, part}, {});
  const auto& tiles = sheet.rows.at(0).tiles;
  const auto brightest_row = [](const Image& tile) {
    int best = 0;
    for (int y = 1; y < tile.height; ++y) {
      if (brightness(tile, y, 36) > brightness(tile, best, 36)) best = y;
    }
    return best;
  };
  EXPECT_GT(brightest_row(tiles.at(0)), 50);  // row 0 is the top
  EXPECT_LT(brightest_row(tiles.at(1)), 30);
  EXPECT_LT(brightness(tiles.at(0), 5, 36), 200);
  EXPECT_LT(brightness(tiles.at(2), 36, 36), 200) << "silence is dark";
}

TEST(ContactSheet, TheFirstSoundsOfAClassCanBePlayed) {
  const Clip clip{8000, testing::tone(8000, 440, 4000)};
  const auto dataset = testing::sample_dataset(SampleKind::kSound, std::vector<Sample>(12, clip),
                                               std::vector<int64_t>(12, 0), {"tone"});
  const auto sheet = make_contact_sheet({dataset, dataset}, {}, {.columns = 6, .tile = 16});
  ASSERT_EQ(sheet.rows.at(0).sounds.size(), 4U);
  EXPECT_THAT(
      contact_page(sheet, "sounds", "some"),
      AllOf(HasSubstr("<audio controls"), HasSubstr("media-src data:"), HasSubstr("0.5 s")));
}

TEST(ContactSheet, SoundsNoneOfWhichCanBeRead) {
  const auto part =
      testing::sample_dataset(SampleKind::kSound, {Clip{}, Clip{}}, {0, 1}, {"a", "b"});
  const auto sheet = make_contact_sheet({part, part}, {});
  EXPECT_EQ(sheet.rows.size(), 2U);
}

TEST(ContactSheet, VectorsAreSquaresOfNumbers) {
  const Features vector{4, 1, 1, {0, 0, 0, 1}};
  const auto part = testing::sample_dataset(SampleKind::kVector, {vector}, {0}, {"a"});
  const auto sheet = make_contact_sheet({part, part}, {}, {.tile = 16});
  const auto& tile = sheet.rows.at(0).tiles.at(0);
  EXPECT_GT(brightness(tile, 15, 15), 500);
  EXPECT_LT(brightness(tile, 0, 0), 200);
}

TEST(ContactSheet, AClassThatIsOnlyTestedShowsTestSamples) {
  const auto train = pictures({testing::plain_image(2, 2, {1})}, {0}, {"a", "b", "c"});
  const auto test = pictures({testing::plain_image(2, 2, {9})}, {1}, {"a", "b", "c"});
  const auto sheet = make_contact_sheet({train, test}, {}, {.tile = 8});
  EXPECT_EQ(pixel(sheet.rows.at(1).tiles.at(0), 4, 4)[0], 9);
  EXPECT_TRUE(sheet.rows.at(2).tiles.empty());
  EXPECT_THAT(contact_page(sheet, "t", "s"), HasSubstr("no samples"));
  EXPECT_NO_THROW(sheet_picture(sheet));
}

TEST(ContactSheet, ASingleFileIsARowOfOne) {
  const auto one = pictures({testing::plain_image(2, 2, {1})}, {0}, {});
  const auto sheet = make_contact_sheet({one, pictures({}, {}, {})}, {}, {.tile = 8});
  ASSERT_EQ(sheet.rows.size(), 1U);
  EXPECT_EQ(sheet.rows[0].tiles.size(), 1U);
}

TEST(ContactSheet, KnownSamplesStandForATrainingPartWithoutLabels) {
  DatasetSplit split{testing::fake_dataset({0, 0}), testing::fake_dataset({0, 1})};
  split.known = testing::fake_dataset({0, 1, 1});
  split.unlabelled = true;
  const auto sheet = make_contact_sheet(split, {}, {.tile = 8});
  ASSERT_EQ(sheet.rows.size(), 2U);
  EXPECT_EQ(sheet.rows[1].train, 2);
}

TEST(ContactPage, NamesCannotBecomeMarkup) {
  const auto part = pictures({testing::plain_image(2, 2, {1})}, {0}, {"<b>\"cats\" & 'dogs'"});
  const auto sheet = make_contact_sheet({part, part}, {}, {.tile = 8});
  EXPECT_THAT(contact_page(sheet, "<script>alert(1)</script>", "a < b"),
              AllOf(HasSubstr("&lt;b&gt;&quot;cats&quot; &amp; &#39;dogs&#39;"),
                    HasSubstr("&lt;script&gt;"), HasSubstr("a &lt; b"), Not(HasSubstr("<script")),
                    Not(HasSubstr("<b>")), HasSubstr("default-src 'none'"),
                    HasSubstr("src=\"data:image/png;base64,iVBORw0KGgo")));
}

TEST(WriteContactSheet, TheEndingDecides) {
  const testing::ScratchDir dir;
  const auto part = testing::fake_dataset({0, 1});
  const auto sheet = make_contact_sheet({part, part}, {}, {.tile = 8});
  write_contact_sheet(dir / "sheet.PNG", sheet, "t", "s");
  write_contact_sheet(dir / "sheet.html", sheet, "t", "s");
  const auto picture = read_image(dir / "sheet.PNG", "sheet");
  EXPECT_EQ(picture.height, 2 * 8 + 3 * 4);
  EXPECT_EQ(picture.width, 8 + 2 * 4);
  EXPECT_THAT(testing::contents(dir / "sheet.html"), HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(testing::complaint([&] { write_contact_sheet(dir / "sheet.gif", sheet, "t", "s"); }),
              AllOf(HasSubstr("sheet.gif"), HasSubstr(".html")));
  EXPECT_THAT(testing::names_in(dir.path()), ElementsAre("sheet.PNG", "sheet.html"));
}

}  // namespace
}  // namespace projnce
