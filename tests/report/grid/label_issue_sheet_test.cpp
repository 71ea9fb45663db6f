#include "projnce/report/grid/contact_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "projnce/io/image/image_file.h"
#include "tests/support/data_files.h"
#include "tests/support/error_message.h"
#include "tests/support/fake_dataset.h"
#include "tests/support/files.h"
#include "tests/support/sample_dataset.h"
#include "tests/support/scratch_dir.h"
#include "tests/support/sound_signals.h"

namespace projnce::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A red, a green and a blue sample, and a corrupt one.
dataset::DatasetPtr colors() {
  return testing::sample_dataset(
      SampleKind::kImage,
      {testing::plain_image(4, 4, {255, 0, 0}), testing::plain_image(4, 4, {0, 255, 0}),
       testing::plain_image(4, 4, {0, 0, 255}), Image{}},
      {0, 0, 1, 1}, {"warm", "cold"});
}

LabelIssueSheet sheet_of(std::vector<LabelIssue> issues) {
  return {colors(), std::move(issues), {"warm", "cold"}, "Issues", "what was found"};
}

std::vector<std::string> samples_in(const ImageGrid& grid) {
  std::vector<std::string> names;
  for (const auto& tile : grid.sections.at(0).tiles) names.push_back(tile.name);
  return names;
}

TEST(LabelIssueGrid, SortsByScoreAndCountsTheRest) {
  auto sheet = sheet_of({{0, 0, 1, 0.2}, {1, 0, 1, 0.9}, {2, 1, 0, 0.5}, {3, 1, 0, 0.9}});
  sheet.most = 3;
  const auto grid = make_label_issue_grid(sheet, 8, {});
  EXPECT_THAT(samples_in(grid), ElementsAre("sample-1", "sample-3", "sample-2"));
  const auto& first = grid.sections[0].tiles[0];
  EXPECT_EQ(first.label, "warm");
  EXPECT_EQ(first.suggested, "cold");
  EXPECT_EQ(first.score, "90.0 %");
  EXPECT_THAT(grid.remarks.at(0), HasSubstr("3 highest scores of 4"));
  EXPECT_EQ(first.image.pixels[1], 255) << "sample 1 is green";
}

TEST(LabelIssueGrid, ShowsVerdictIfTruthIsKnown) {
  const auto grid = make_label_issue_grid(
      sheet_of({{0, 0, 1, 0.3, true}, {1, 0, 1, 0.2, false}, {2, 1, 0, 0.1}}), 8, {});
  const auto& tiles = grid.sections[0].tiles;
  EXPECT_THAT(tiles[0].verdict, HasSubstr("mislabeled"));
  EXPECT_TRUE(tiles[0].verdict_good);
  EXPECT_THAT(tiles[1].verdict, HasSubstr("correct"));
  EXPECT_FALSE(tiles[1].verdict_good);
  EXPECT_EQ(tiles[2].verdict, "");
}

TEST(LabelIssueGrid, RejectsInvalidIssues) {
  const auto error_message_of = [](const LabelIssue& issue) {
    return testing::error_message_of([&] { make_label_issue_grid(sheet_of({issue}), 8, {}); });
  };
  EXPECT_THAT(error_message_of({4, 0, 1, 0.5}),
              AllOf(HasSubstr("sample 4"), HasSubstr("4 samples")));
  EXPECT_THAT(error_message_of({-1, 0, 1, 0.5}), HasSubstr("sample -1"));
  EXPECT_THAT(error_message_of({0, 0, 2, 0.5}), HasSubstr("label 2"));
  EXPECT_THAT(error_message_of({0, -1, 1, 0.5}), HasSubstr("label -1"));
  EXPECT_THAT(error_message_of({0, 0, 1, 1.5}), HasSubstr("1.5"));
  EXPECT_THAT(error_message_of({0, 0, 1, std::numeric_limits<double>::quiet_NaN()}),
              HasSubstr("nan"));
}

TEST(LabelIssueGrid, DrawsSoundsAsSpectrogramsInBothFormats) {
  const auto tone = testing::tone(8000, 1000, 8000);
  for (const Sample& sample :
       {Sample(Clip{8000, tone}), Sample(Features{1, 4, 4, std::vector<float>(16, 1)})}) {
    LabelIssueSheet sheet;
    sheet.dataset = testing::sample_dataset(SampleKind::kSound, {sample}, {0}, {"a"});
    sheet.issues = {{0, 0, 1, 0.5}};
    const auto grid = make_label_issue_grid(sheet, 16, {});
    const auto& tile = grid.sections.at(0).tiles.at(0);
    EXPECT_EQ(tile.image.height, 16);
    EXPECT_EQ(tile.label, "0");
    EXPECT_EQ(tile.sound.wav.empty(), std::holds_alternative<Features>(sample));
    EXPECT_THAT(grid.remarks.back(), HasSubstr("spectrograms"));
  }
}

/// Counts the pixels of about this color.
size_t issue_pixels_like(const Image& image, std::array<int, 3> color) {
  size_t count = 0;
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    bool like = true;
    for (size_t c = 0; c < 3; ++c) like = like && std::abs(image.pixels[i + c] - color[c]) < 8;
    count += like ? 1 : 0;
  }
  return count;
}

TEST(WriteLabelIssueSheet, PngHasOneTilePerIssue) {
  const testing::ScratchDir dir;
  write_label_issue_sheet(
      dir / "sheet.png",
      sheet_of({{0, 0, 1, 0.9}, {1, 0, 1, 0.8}, {2, 1, 0, 0.7}, {3, 1, 0, 0.6}}));
  const auto image = io::read_image(dir / "sheet.png", "sheet");
  const size_t tile = size_t{320} * 320;
  EXPECT_GT(issue_pixels_like(image, {255, 0, 0}), tile * 9 / 10);
  EXPECT_GT(issue_pixels_like(image, {0, 255, 0}), tile * 9 / 10);
  EXPECT_GT(issue_pixels_like(image, {0, 0, 255}), tile * 9 / 10);
  EXPECT_GT(issue_pixels_like(image, {200, 200, 200}), tile * 8 / 10) << "behind the cross";
}

TEST(WriteLabelIssueSheet, ExtensionSelectsFormatAndNamesAreEscaped) {
  const testing::ScratchDir dir;
  auto sheet = sheet_of({{0, 0, 1, 0.5, true}});
  sheet.class_names = {"<script>alert(1)</script>", "\"cold\" & \xFF"};
  sheet.title = "<b>";
  write_label_issue_sheet(dir / "sheet.html", sheet, {.threads = 2});
  write_label_issue_sheet(dir / "sheet.png", sheet);
  EXPECT_THAT(testing::contents(dir / "sheet.html"),
              AllOf(HasSubstr("&lt;script&gt;"), HasSubstr(" → &quot;cold&quot; &amp; \\xFF"),
                    HasSubstr("50.0 %"), HasSubstr("mislabeled"), HasSubstr("sample-0"),
                    Not(HasSubstr("<script")), Not(HasSubstr("<title><"))));
  EXPECT_GT(io::read_image(dir / "sheet.png", "sheet").width, 1000);
  EXPECT_THAT(testing::error_message_of([&] { write_label_issue_sheet(dir / "sheet.csv", sheet); }),
              AllOf(HasSubstr("sheet.csv"), HasSubstr(".html")));
  EXPECT_THAT(testing::names_in(dir.path()), ElementsAre("sheet.html", "sheet.png"));
}

TEST(WriteLabelIssueSheet, StatesThatThereAreNoIssues) {
  const testing::ScratchDir dir;
  write_label_issue_sheet(dir / "none.html", sheet_of({}));
  EXPECT_THAT(testing::contents(dir / "none.html"), HasSubstr("No label issues"));
  EXPECT_NO_THROW(write_label_issue_sheet(dir / "none.png", sheet_of({})));
}

}  // namespace
}  // namespace projnce::report
