#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "projnce/report/chart/png_canvas.h"
#include "projnce/report/chart/svg_canvas.h"
#include "tests/report/well_formed.h"

namespace projnce::report {
namespace {

using ::testing::HasSubstr;

constexpr Color kRed = {0xE4, 0x3F, 0x5F};
constexpr std::array<Point, 2> kAcross = {{{10, 20}, {30.25, 20}}};

std::string pixel_at(const Image& image, int x, int y) {
  const auto* pixel = image.pixels.data() + static_cast<size_t>(3 * (y * image.width + x));
  return hex({pixel[0], pixel[1], pixel[2]});
}

TEST(CanvasLines, SvgHasOneElementPerLine) {
  SvgCanvas canvas(40, 40, "lines");
  canvas.line(kAcross, {.number = 3, .color = kRed, .width = 1.5, .dashed = true}, "a<b");
  canvas.rings(kAcross, {.number = 2, .color = kRed, .radius = 4}, "ring");
  canvas.rule({0, 5}, {40, 5});
  const auto svg = canvas.finish();
  EXPECT_EQ(testing::markup_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr(R"(<polyline class="mark c3" fill="none" stroke="#e43f5f")"
                             R"( stroke-width="1.5" stroke-opacity="1.00" stroke-linejoin="round")"
                             R"( stroke-dasharray="4 3" points="10,20 30.3,20">)"
                             R"(<title>a&lt;b</title></polyline>)"));
  EXPECT_THAT(svg,
              HasSubstr(R"(<circle cx="10" cy="20" r="4"/><circle cx="30.3" cy="20" r="4"/>)"));
  EXPECT_THAT(svg, HasSubstr(R"(<line class="rule" x1="0" y1="5" x2="40" y2="5")"));
}

TEST(CanvasLines, PngHasPixels) {
  PngCanvas canvas(40, 40, 1);
  canvas.line(kAcross, {.color = kRed, .width = 4}, "");
  canvas.rule({0.5, 30.5}, {39.5, 30.5});
  const auto image = canvas.finish();
  const auto ground = hex(light_color(Ink::kGround));
  EXPECT_EQ(pixel_at(image, 20, 20), hex(kRed));
  EXPECT_EQ(pixel_at(image, 20, 25), ground);
  EXPECT_EQ(pixel_at(image, 35, 20), ground);
  EXPECT_EQ(pixel_at(image, 20, 30), hex(light_color(Ink::kLine)));
}

TEST(CanvasLines, RingsAreHollowAndDashesHaveGaps) {
  PngCanvas canvas(40, 40, 1);
  const std::array<Point, 1> middle = {{{20, 10}}};
  canvas.rings(middle, {.color = kRed, .radius = 5}, "");
  canvas.line(std::array<Point, 2>{{{0, 30}, {40, 30}}},
              {.color = kRed, .width = 4, .dashed = true}, "");
  canvas.line(std::array<Point, 2>{{{0, 36}, {40, 36}}}, {.color = kRed, .width = 4}, "");
  const auto image = canvas.finish();
  const auto ground = hex(light_color(Ink::kGround));
  EXPECT_EQ(pixel_at(image, 20, 10), ground);
  EXPECT_NE(pixel_at(image, 25, 10), ground);
  EXPECT_EQ(pixel_at(image, 2, 30), hex(kRed));
  EXPECT_EQ(pixel_at(image, 5, 30), ground);
  EXPECT_EQ(pixel_at(image, 5, 36), hex(kRed)) << "the last dash ends with the line";
}

}  // namespace
}  // namespace projnce::report
