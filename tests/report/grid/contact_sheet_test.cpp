#include "projnce/report/grid/contact_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "projnce/io/image/image_file.h"
#include "tests/support/audio_signals.h"
#include "tests/support/data_files.h"
#include "tests/support/error_message.h"
#include "tests/support/fake_dataset.h"
#include "tests/support/files.h"
#include "tests/support/sample_dataset.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
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

dataset::DatasetPtr images(std::vector<Sample> samples, std::vector<int64_t> labels,
                           std::vector<std::string> names) {
  return testing::sample_dataset(SampleKind::kImage, std::move(samples), std::move(labels),
                                 std::move(names));
}

TEST(ContactSheet, SamplesAreEvenlySpaced) {
  std::vector<int64_t> labels(100);
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = i % 2;  // class 1: 1, 3, 5 ...
  const auto sheet =
      make_contact_sheet({testing::fake_dataset(labels), testing::fake_dataset({0, 1, 1})},
                         {.threads = 2}, {.columns = 5, .tile_pixels = 8});
  ASSERT_EQ(sheet.sections.size(), 2U);
  const auto& row = sheet.sections[1];
  EXPECT_EQ(row.title, "class-1");
  EXPECT_EQ(row.note, "50 train, 2 test");
  std::vector<int> shown;  // each sample of the fake dataset is one pixel with its index
  for (const auto& tile : row.tiles) shown.push_back(pixel(tile.image, 4, 4)[0]);
  EXPECT_THAT(shown, ElementsAre(1, 21, 41, 61, 81));
}

TEST(ContactSheet, CountsClassesThatAreNotShown) {
  std::vector<int64_t> labels(7);
  std::iota(labels.begin(), labels.end(), 0);
  const auto part = testing::fake_dataset(labels);
  const auto sheet = make_contact_sheet({part, part}, {}, {.rows = 3, .tile_pixels = 8});
  EXPECT_EQ(sheet.sections.size(), 3U);
  EXPECT_THAT(sheet.remarks.back(), HasSubstr("4 more classes"));
}

TEST(ContactSheet, KeepsAspectRatio) {
  const auto wide = testing::plain_image(10, 40, {255, 0, 0});
  const auto part = images({wide}, {0}, {"a"});
  const auto sheet = make_contact_sheet({part, part}, {}, {.tile_pixels = 16});
  const auto& tile = sheet.sections.at(0).tiles.at(0).image;
  EXPECT_EQ(pixel(tile, 8, 0), (Pixel{255, 0, 0, 255}));
  EXPECT_EQ(pixel(tile, 6, 15), (Pixel{255, 0, 0, 255}));
  EXPECT_EQ(pixel(tile, 5, 8)[3], 0);
  EXPECT_EQ(pixel(tile, 10, 8)[3], 0);
}

TEST(ContactSheet, CorruptSampleIsCrossOnGray) {
  const auto good = testing::plain_image(4, 4, {10, 20, 30});
  const auto part = images({good, Image{}}, {0, 0}, {"a"});
  const auto sheet = make_contact_sheet({part, part}, {}, {.tile_pixels = 72});
  const auto& tile = sheet.sections.at(0).tiles.at(1).image;
  const auto [r, g, b, a] = pixel(tile, 2, 36);
  EXPECT_TRUE(r == g && g == b && a == 255);
  EXPECT_NE(pixel(tile, 36, 36), pixel(tile, 2, 36));
  EXPECT_EQ(pixel(sheet.sections.at(0).tiles.at(0).image, 36, 36), (Pixel{10, 20, 30, 255}));
}

TEST(ContactSheet, HigherToneIsHigherInSpectrogram) {
  const int rate = 16000;
  const auto clip = [&](double hertz) { return Clip{rate, testing::tone(rate, hertz, 16000)}; };
  const auto part = testing::sample_dataset(
      SampleKind::kAudio, {clip(300), clip(4000), Clip{rate, std::vector<float>(16000)}}, {0, 0, 0},
      {"a"});
  const auto sheet = make_contact_sheet({part, part}, {});
  const auto& tiles = sheet.sections.at(0).tiles;
  const auto brightest_row = [](const Image& tile) {
    int best = 0;
    for (int y = 1; y < tile.height; ++y) {
      if (brightness(tile, y, 36) > brightness(tile, best, 36)) best = y;
    }
    return best;
  };
  EXPECT_GT(brightest_row(tiles.at(0).image), 50);  // row 0 is the top
  EXPECT_LT(brightest_row(tiles.at(1).image), 30);
  EXPECT_LT(brightness(tiles.at(0).image, 5, 36), 200);
  EXPECT_LT(brightness(tiles.at(2).image, 36, 36), 200) << "silence is dark";
}

TEST(ContactSheet, FirstClipsOfClassArePlayable) {
  const Clip clip{8000, testing::tone(8000, 440, 4000)};
  const auto dataset = testing::sample_dataset(SampleKind::kAudio, std::vector<Sample>(12, clip),
                                               std::vector<int64_t>(12, 0), {"tone"});
  const auto sheet = make_contact_sheet({dataset, dataset}, {}, {.columns = 6, .tile_pixels = 16});
  std::vector<bool> playable;
  for (const auto& tile : sheet.sections.at(0).tiles) playable.push_back(!tile.audio.wav.empty());
  EXPECT_THAT(playable, ElementsAre(true, true, true, true, false, false));
  EXPECT_THAT(sheet.remarks.at(0), HasSubstr("spectrograms"));
}

TEST(ContactSheet, AcceptsClipsThatAllFailToDecode) {
  const auto part =
      testing::sample_dataset(SampleKind::kAudio, {Clip{}, Clip{}}, {0, 1}, {"a", "b"});
  const auto sheet = make_contact_sheet({part, part}, {});
  EXPECT_EQ(sheet.sections.size(), 2U);
}

TEST(ContactSheet, DrawsVectorsAsSquares) {
  const Features vector{4, 1, 1, {0, 0, 0, 1}};
  const auto part = testing::sample_dataset(SampleKind::kVector, {vector}, {0}, {"a"});
  const auto sheet = make_contact_sheet({part, part}, {}, {.tile_pixels = 16});
  const auto& tile = sheet.sections.at(0).tiles.at(0).image;
  EXPECT_GT(brightness(tile, 15, 15), 500);
  EXPECT_LT(brightness(tile, 0, 0), 200);
}

TEST(ContactSheet, ClassWithoutTrainingSamplesShowsTestSamples) {
  const auto train = images({testing::plain_image(2, 2, {1})}, {0}, {"a", "b", "c"});
  const auto test = images({testing::plain_image(2, 2, {9})}, {1}, {"a", "b", "c"});
  const auto sheet = make_contact_sheet({train, test}, {}, {.tile_pixels = 8});
  EXPECT_EQ(pixel(sheet.sections.at(1).tiles.at(0).image, 4, 4)[0], 9);
  EXPECT_TRUE(sheet.sections.at(2).tiles.empty());
}

TEST(ContactSheet, SingleSampleIsOneTile) {
  const auto one = images({testing::plain_image(2, 2, {1})}, {0}, {});
  const auto sheet = make_contact_sheet({one, images({}, {}, {})}, {}, {.tile_pixels = 8});
  ASSERT_EQ(sheet.sections.size(), 1U);
  EXPECT_EQ(sheet.sections[0].tiles.size(), 1U);
}

TEST(ContactSheet, ReferenceSamplesReplaceUnlabeledTrainingSplit) {
  dataset::DatasetSplit split{testing::fake_dataset({0, 0}), testing::fake_dataset({0, 1})};
  split.reference = testing::fake_dataset({0, 1, 1});
  split.unlabeled = true;
  const auto sheet = make_contact_sheet(split, {}, {.tile_pixels = 8});
  ASSERT_EQ(sheet.sections.size(), 2U);
  EXPECT_EQ(sheet.sections[1].note, "2 train, 1 test");
}

TEST(WriteContactSheet, ExtensionSelectsFormat) {
  const testing::ScratchDir dir;
  const auto part = images({testing::plain_image(2, 2, {1})}, {0}, {"<b>\"cats\" & 'dogs'"});
  const auto write = [&](const char* name) {
    write_contact_sheet(dir / name, {part, part}, {}, "<script>alert(1)</script>", "a < b");
  };
  write("sheet.PNG");
  write("sheet.html");
  EXPECT_GT(io::read_image(dir / "sheet.PNG", "sheet").width, 2 * 72);
  EXPECT_THAT(testing::contents(dir / "sheet.html"),
              AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("&lt;script&gt;"),
                    HasSubstr("a &lt; b"), HasSubstr("&quot;cats&quot; &amp; &#39;dogs&#39;"),
                    Not(HasSubstr("<script")), Not(HasSubstr("<b>"))));
  EXPECT_THAT(testing::error_message_of([&] { write("sheet.gif"); }),
              AllOf(HasSubstr("a contact sheet"), HasSubstr("sheet.gif"), HasSubstr(".html")));
  EXPECT_THAT(testing::names_in(dir.path()), ElementsAre("sheet.PNG", "sheet.html"));
}

}  // namespace
}  // namespace projnce::report
