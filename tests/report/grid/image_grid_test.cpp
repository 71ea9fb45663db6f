#include "projnce/report/grid/image_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "projnce/io/image/image_file.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Image plain_tile(uint8_t red, uint8_t green, uint8_t blue, int side = 8) {
  Image image{side, side, 4, {}};
  for (int i = 0; i < side * side; ++i) {
    image.pixels.insert(image.pixels.end(), {red, green, blue, 255});
  }
  return image;
}

ImageGrid grid_of(std::vector<GridTile> tiles, std::string title = {}) {
  return {.title = "Grid",
          .summary = "what it shows",
          .sections = {{.title = std::move(title), .note = "a note", .tiles = std::move(tiles)}},
          .remarks = {"A remark."},
          .tile = 40,
          .columns = 3};
}

TEST(GridHtml, ContainsImagesAndTextWithoutExternalResources) {
  GridTile tile{.image = plain_tile(1, 2, 3)};
  tile.label = "cat";
  tile.suggested = "<dog>";
  tile.name = "a/1.png";
  tile.score = "90 %";
  tile.verdict = "✓ right";
  tile.verdict_good = true;
  const auto html = grid_html(grid_of({tile}));
  EXPECT_THAT(html,
              AllOf(HasSubstr("<h1>Grid</h1><p>what it shows</p>"),
                    HasSubstr("<b>cat → &lt;dog&gt;</b><small>a/1.png</small><p>90 % "
                              "<span class=\"good\">✓ right</span></p>"),
                    HasSubstr("width=\"40\" height=\"40\" alt=\"a/1.png\" "
                              "src=\"data:image/png;base64,iVBORw0KGgo"),
                    HasSubstr("<footer>A remark.</footer>"), HasSubstr("default-src 'none'"),
                    Not(HasSubstr("<h2>")), Not(HasSubstr("<audio")), Not(HasSubstr("<dog"))));
}

TEST(GridHtml, SectionsHaveTitlesAndMayHaveNoTiles) {
  auto grid = grid_of({{.image = plain_tile(1, 2, 3)}}, "\"cats\" & \xFF");
  grid.sections.push_back({.title = "dogs", .tiles = {}});
  EXPECT_THAT(grid_html(grid),
              AllOf(HasSubstr("<h2>&quot;cats&quot; &amp; \\xFF</h2><p>a note</p>"),
                    HasSubstr("no samples"), Not(HasSubstr("<figcaption"))));
}

TEST(GridHtml, ClipsArePlayableWithoutScripts) {
  GridTile tile{.image = plain_tile(1, 2, 3)};
  tile.audio = {.wav = {'R', 'I', 'F', 'F'}, .seconds = 1.5, .whole_seconds = 3};
  EXPECT_THAT(
      grid_html(grid_of({tile})),
      AllOf(HasSubstr("<audio controls preload=\"none\" src=\"data:audio/wav;base64,UklG"),
            HasSubstr("1.5 of 3.0 s"), HasSubstr("media-src data:"), Not(HasSubstr("<script"))));
}

size_t tile_pixels_like(const Image& image, std::array<int, 3> color) {
  size_t count = 0;
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    bool like = true;
    for (size_t c = 0; c < 3; ++c) like = like && std::abs(image.pixels[i + c] - color[c]) < 8;
    count += like ? 1 : 0;
  }
  return count;
}

TEST(GridImage, DrawsTilesAtDoubleResolution) {
  const auto image = grid_image(
      grid_of({{.image = plain_tile(255, 0, 0, 80)}, {.image = plain_tile(0, 0, 255, 80)}}));
  EXPECT_EQ(image.channels, 3);
  EXPECT_NEAR(static_cast<double>(tile_pixels_like(image, {255, 0, 0})), 80 * 80, 400);
  EXPECT_NEAR(static_cast<double>(tile_pixels_like(image, {0, 0, 255})), 80 * 80, 400);
}

TEST(GridImage, SizeGrowsWithRowsAndTitles) {
  const auto height = [](size_t tiles) {
    return grid_image(grid_of(std::vector<GridTile>(tiles, {.image = plain_tile(1, 2, 3)}))).height;
  };
  EXPECT_EQ(height(3), height(1)) << "three columns";
  EXPECT_EQ(height(9) - height(3), 2 * (height(6) - height(3)));
  EXPECT_NO_THROW(grid_image(grid_of({})));
  auto wide = grid_of(std::vector<GridTile>(20, {.image = plain_tile(1, 2, 3)}));
  wide.columns = 20;
  const int untitled = grid_image(wide).width;
  wide.sections[0].title = "cats";
  EXPECT_GT(grid_image(wide).width, untitled) << "titles are next to the tiles";
}

TEST(WriteImageGrid, ExtensionSelectsFormat) {
  const testing::ScratchDir dir;
  const auto grid = grid_of({{.image = plain_tile(1, 2, 3)}});
  write_image_grid(dir / "grid.PNG", grid);
  write_image_grid(dir / "grid.html", grid);
  EXPECT_EQ(io::read_image(dir / "grid.PNG", "grid").width, grid_image(grid).width);
  EXPECT_THAT(testing::contents(dir / "grid.html"), HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(testing::error_message_of([] { check_grid_name("grid.gif", "a grid"); }),
              AllOf(HasSubstr("grid.gif"), HasSubstr(".html")));
  EXPECT_THAT(testing::names_in(dir.path()), ElementsAre("grid.PNG", "grid.html"));
  EXPECT_EQ(grid_tile_pixels("a.png", 72), 144);
  EXPECT_EQ(grid_tile_pixels("a.html", 72), 72);
}

}  // namespace
}  // namespace projnce::report
