#include "projnce/report/suspect_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/io/image_file.h"
#include "projnce/report/suspect_page.h"
#include "projnce/report/suspect_picture.h"
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

/// Samples that are red, green and blue, then one that is damaged.
DatasetPtr colours() {
  return testing::sample_dataset(
      SampleKind::kImage,
      {testing::plain_image(4, 4, {255, 0, 0}), testing::plain_image(4, 4, {0, 255, 0}),
       testing::plain_image(4, 4, {0, 0, 255}), Image{}},
      {0, 0, 1, 1}, {"warm", "cold"});
}

SuspectSheet sheet_of(std::vector<Suspect> suspects) {
  return {colours(), std::move(suspects), {"warm", "cold"}, "Suspects", "what was found"};
}

std::vector<std::string> samples_in(const SuspectTiles& tiles) {
  std::vector<std::string> names;
  for (const auto& tile : tiles.tiles) names.push_back(tile.sample);
  return names;
}

TEST(SuspectTiles, TheSurestComeFirstAndTheRestIsCounted) {
  auto sheet = sheet_of({{0, 0, 1, 0.2}, {1, 0, 1, 0.9}, {2, 1, 0, 0.5}, {3, 1, 0, 0.9}});
  sheet.most = 3;
  const auto tiles = make_suspect_tiles(sheet, 8, {});
  EXPECT_THAT(samples_in(tiles), ElementsAre("sample-1", "sample-3", "sample-2"));
  EXPECT_EQ(tiles.tiles[0].given, "warm");
  EXPECT_EQ(tiles.tiles[0].suggested, "cold");
  EXPECT_EQ(tiles.tiles[0].score, "90.0 %");
  EXPECT_THAT(tiles.remarks.at(0), HasSubstr("3 surest of 4"));
  EXPECT_EQ(tiles.tiles[0].picture.pixels[1], 255) << "sample 1 is green";
}

TEST(SuspectTiles, WhatIsKnownOfALabelIsSaid) {
  const auto tiles = make_suspect_tiles(
      sheet_of({{0, 0, 1, 0.3, true}, {1, 0, 1, 0.2, false}, {2, 1, 0, 0.1}}), 8, {});
  EXPECT_THAT(tiles.tiles[0].verdict, HasSubstr("wrong"));
  EXPECT_THAT(tiles.tiles[1].verdict, HasSubstr("right"));
  EXPECT_EQ(tiles.tiles[2].verdict, "");
}

TEST(SuspectTiles, WhatCannotBeShownIsASentence) {
  const auto complaint = [](const Suspect& suspect) {
    return testing::complaint([&] { make_suspect_tiles(sheet_of({suspect}), 8, {}); });
  };
  EXPECT_THAT(complaint({4, 0, 1, 0.5}), AllOf(HasSubstr("suspect 4"), HasSubstr("4 samples")));
  EXPECT_THAT(complaint({-1, 0, 1, 0.5}), HasSubstr("suspect -1"));
  EXPECT_THAT(complaint({0, 0, 2, 0.5}), HasSubstr("label 2"));
  EXPECT_THAT(complaint({0, -1, 1, 0.5}), HasSubstr("label -1"));
  EXPECT_THAT(complaint({0, 0, 1, 1.5}), HasSubstr("1.5"));
  EXPECT_THAT(complaint({0, 0, 1, std::numeric_limits<double>::quiet_NaN()}), HasSubstr("nan"));
}

TEST(SuspectTiles, SoundsAreSpectrogramsInBothForms) {
  const auto tone = testing::tone(8000, 1000, 8000);
  for (const Sample& sample :
       {Sample(Clip{8000, tone}), Sample(Features{1, 4, 4, std::vector<float>(16, 1)})}) {
    SuspectSheet sheet;
    sheet.dataset = testing::sample_dataset(SampleKind::kSound, {sample}, {0}, {"a"});
    sheet.suspects = {{0, 0, 1, 0.5}};
    const auto tiles = make_suspect_tiles(sheet, 16, {});
    EXPECT_EQ(tiles.tiles.at(0).picture.height, 16);
    EXPECT_EQ(tiles.tiles.at(0).given, "0");
    EXPECT_THAT(tiles.remarks.back(), HasSubstr("spectrograms"));
  }
}

TEST(SuspectPage, SoundsCanBePlayed) {
  SuspectSheet sheet;
  const Clip clip{8000, testing::tone(8000, 1000, 24000)};
  sheet.dataset = testing::sample_dataset(SampleKind::kSound, {clip}, {0}, {"a"});
  sheet.suspects = {{0, 0, 1, 0.5}};
  EXPECT_THAT(
      suspect_page(make_suspect_tiles(sheet, 16, {})),
      AllOf(HasSubstr("<audio controls"), HasSubstr("media-src data:"), HasSubstr("1.5 of 3.0 s")));
}

TEST(SuspectPage, NamesCannotBecomeMarkup) {
  auto sheet = sheet_of({{0, 0, 1, 0.5, true}});
  sheet.class_names = {"<script>alert(1)</script>", "\"cold\" & \xFF"};
  sheet.title = "<b>";
  EXPECT_THAT(suspect_page(make_suspect_tiles(sheet, 8, {})),
              AllOf(HasSubstr("&lt;script&gt;"), HasSubstr("&quot;cold&quot; &amp; \\xFF"),
                    HasSubstr("50.0 %"), HasSubstr("label was wrong"), HasSubstr("sample-0"),
                    HasSubstr("default-src 'none'"), HasSubstr("src=\"data:image/png;base64,iVBOR"),
                    HasSubstr("prefers-color-scheme: dark"), Not(HasSubstr("<script")),
                    Not(HasSubstr("<title><"))));
}

/// How many pixels have about this colour.
size_t pixels_like(const Image& picture, std::array<int, 3> colour) {
  size_t count = 0;
  for (size_t i = 0; i < picture.pixels.size(); i += 3) {
    bool like = true;
    for (size_t c = 0; c < 3; ++c) like = like && std::abs(picture.pixels[i + c] - colour[c]) < 8;
    count += like ? 1 : 0;
  }
  return count;
}

TEST(SuspectPicture, HasATileForEachSuspect) {
  const auto sheet = sheet_of({{0, 0, 1, 0.9}, {1, 0, 1, 0.8}, {2, 1, 0, 0.7}, {3, 1, 0, 0.6}});
  const auto picture = suspect_picture(make_suspect_tiles(sheet, kSuspectTilePixels, {}));
  const size_t tile = size_t{kSuspectTilePixels} * kSuspectTilePixels;
  EXPECT_GT(pixels_like(picture, {255, 0, 0}), tile * 9 / 10);
  EXPECT_GT(pixels_like(picture, {0, 255, 0}), tile * 9 / 10);
  EXPECT_GT(pixels_like(picture, {0, 0, 255}), tile * 9 / 10);
  EXPECT_GT(pixels_like(picture, {200, 200, 200}), tile * 8 / 10) << "the cross's ground";
}

TEST(SuspectPicture, GrowsByRowsOfSix) {
  std::vector<int64_t> labels(100, 0);
  SuspectSheet sheet{testing::fake_dataset(labels), {}, {}, "t", "s"};
  const auto height_with = [&](int64_t count) {
    sheet.suspects.clear();
    for (int64_t i = 0; i < count; ++i) sheet.suspects.push_back({i, 0, 0, 0.5});
    return suspect_picture(make_suspect_tiles(sheet, kSuspectTilePixels, {})).height;
  };
  EXPECT_EQ(height_with(6), height_with(1));
  EXPECT_EQ(height_with(60) - height_with(6), 9 * (height_with(12) - height_with(6)));
  EXPECT_EQ(height_with(100), height_with(60)) << "sixty are shown";
}

TEST(WriteSuspectSheet, TheEndingDecides) {
  const testing::ScratchDir dir;
  const auto sheet = sheet_of({{0, 0, 1, 0.9}});
  write_suspect_sheet(dir / "sheet.html", sheet, {.threads = 2});
  write_suspect_sheet(dir / "sheet.png", sheet);
  EXPECT_THAT(testing::contents(dir / "sheet.html"), HasSubstr("warm → cold"));
  EXPECT_GT(read_image(dir / "sheet.png", "sheet").width, 1000);
  EXPECT_THAT(testing::complaint([&] { write_suspect_sheet(dir / "sheet.csv", sheet); }),
              AllOf(HasSubstr("sheet.csv"), HasSubstr(".html")));
  EXPECT_THAT(testing::names_in(dir.path()), ElementsAre("sheet.html", "sheet.png"));
}

TEST(WriteSuspectSheet, NoSuspectsAreASheetThatSaysSo) {
  const testing::ScratchDir dir;
  write_suspect_sheet(dir / "none.html", sheet_of({}));
  EXPECT_THAT(testing::contents(dir / "none.html"), HasSubstr("no suspects"));
  EXPECT_NO_THROW(write_suspect_sheet(dir / "none.png", sheet_of({})));
}

}  // namespace
}  // namespace projnce
