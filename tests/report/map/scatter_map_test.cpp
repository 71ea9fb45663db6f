#include "projnce/report/map/scatter_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/io/image/image_file.h"
#include "tests/report/well_formed.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Round clusters on a circle.
struct Clusters {
  std::vector<float> positions;
  std::vector<int64_t> labels;

  Clusters(size_t samples, int64_t classes) {
    Random random(5);
    for (size_t i = 0; i < samples; ++i) {
      const auto label = static_cast<int64_t>(i) % classes;
      const double angle = 6.283 * static_cast<double>(label) / static_cast<double>(classes);
      const auto [x, y] = random.normal_pair();
      positions.push_back(static_cast<float>(40 * std::cos(angle) + x));
      positions.push_back(static_cast<float>(40 * std::sin(angle) + y));
      labels.push_back(label);
    }
  }

  ScatterMap map(std::vector<std::string> names = {}) const {
    return {positions, labels, std::move(names), "A map", "and what it shows"};
  }
};

void expect_dots_inside(const MapLayout& layout) {
  const double r = layout.radius;
  const Box inside{layout.frame.left + r, layout.frame.top + r, layout.frame.width - 2 * r,
                   layout.frame.height - 2 * r};
  for (const auto& run : layout.runs) {
    for (const auto& point : run.points) ASSERT_TRUE(inside.contains(point));
  }
}

size_t dots_in(const MapLayout& layout) {
  size_t count = 0;
  for (const auto& run : layout.runs) count += run.points.size();
  return count;
}

TEST(MapLayout, DotsAreInsideFrameAndLegendIsNextToIt) {
  for (const int64_t classes : {1, 2, 10, 20, 100, 300}) {
    const Clusters clusters(3000, classes);
    const auto layout = lay_out_map(clusters.map());
    expect_dots_inside(layout);
    EXPECT_EQ(dots_in(layout), 3000U);
    EXPECT_EQ(layout.classes.size(), static_cast<size_t>(classes));
    EXPECT_GT(layout.legend.box.left, layout.frame.right());
    EXPECT_LE(layout.legend.box.right(), layout.width);
    EXPECT_LE(layout.legend.box.bottom(), layout.height);
    EXPECT_LT(layout.heading.back().at.y, layout.frame.top);
    EXPECT_EQ(layout.labels.empty(), classes <= 10);
  }
}

TEST(MapLayout, AxesShareOneScaleAndYPointsUp) {
  const std::vector<float> positions = {0, 0, 10, 0, 0, 1};
  const auto layout = lay_out_map({.positions = positions, .labels = {}});
  std::vector<Point> points;
  for (const auto& run : layout.runs) {
    points.insert(points.end(), run.points.begin(), run.points.end());
  }
  ASSERT_EQ(points.size(), 3U);
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return std::pair(a.x, -a.y) < std::pair(b.x, -b.y);
  });
  EXPECT_NEAR(points[2].x - points[0].x, 10 * (points[0].y - points[1].y), 1e-6);
  EXPECT_GT(points[0].y, points[1].y);
  EXPECT_TRUE(layout.legend.lines.empty());
}

TEST(MapLayout, DrawsEmptyAndHugeExtents) {
  const std::vector<std::vector<float>> cases = {
      {3, 4}, {1, 1, 1, 1}, {0, 0, 0, 5}, {-3e38F, -3e38F, 3e38F, 3e38F}, {0, 0, 1e-40F, 0}};
  for (const auto& positions : cases) {
    const auto layout = lay_out_map({.positions = positions, .labels = {}});
    expect_dots_inside(layout);
    EXPECT_EQ(dots_in(layout), positions.size() / 2);
  }
}

TEST(MapLayout, ClassesAreInterleaved) {
  const Clusters clusters(1000, 2);
  const auto layout = lay_out_map(clusters.map());
  std::map<size_t, size_t> first;
  std::map<size_t, size_t> last;
  for (size_t i = 0; i < layout.runs.size(); ++i) {
    first.try_emplace(layout.runs[i].number, i);
    last[layout.runs[i].number] = i;
  }
  EXPECT_LT(first[0], last[1]);
  EXPECT_LT(first[1], last[0]);
  EXPECT_GE(layout.runs.size(), 8U);
}

TEST(MapLayout, LayoutIsDeterministic) {
  const Clusters clusters(500, 5);
  const auto a = lay_out_map(clusters.map());
  const auto b = lay_out_map(clusters.map());
  ASSERT_EQ(a.runs.size(), b.runs.size());
  for (size_t i = 0; i < a.runs.size(); ++i) EXPECT_EQ(a.runs[i].points, b.runs[i].points);
}

TEST(MapLayout, ManyDotsAreSmallAndTranslucent) {
  const auto few = lay_out_map(Clusters(100, 2).map());
  const auto many = lay_out_map(Clusters(20'000, 2).map());
  EXPECT_GT(few.radius, 2 * many.radius);
  EXPECT_GT(few.opacity, many.opacity);
}

TEST(MapLayout, NamedClassesKeepTheirColors) {
  const std::vector<float> positions = {0, 0, 1, 1};
  const std::vector<int64_t> labels = {1, 2};
  const auto layout = lay_out_map({positions, labels, {"a", "b", "c"}, "", ""});
  ASSERT_EQ(layout.classes.size(), 2U);
  EXPECT_EQ(layout.classes[0].name, "b");
  EXPECT_EQ(layout.classes[0].color, class_colors(3)[1]);
  EXPECT_EQ(layout.classes[1].color, class_colors(3)[2]);
}

TEST(MapLayout, UnnamedClassesAreShownByNumber) {
  const std::vector<float> positions = {0, 0, 1, 1};
  const std::vector<int64_t> labels = {std::numeric_limits<int64_t>::max(), -1};
  const auto layout = lay_out_map({positions, labels, {}, "", ""});
  ASSERT_EQ(layout.classes.size(), 2U);
  EXPECT_EQ(layout.classes[0].name, "-1");
  EXPECT_EQ(layout.classes[1].name, "9223372036854775807");
}

TEST(MapLayout, CountsNonFinitePositions) {
  const std::vector<float> positions = {0, 0, kNan, 1,
                                        1, 1, 2,    std::numeric_limits<float>::infinity()};
  auto layout = lay_out_map({.positions = positions, .labels = {}, .subtitle = "4 samples"});
  EXPECT_EQ(dots_in(layout), 2U);
  ASSERT_EQ(layout.heading.size(), 1U);
  EXPECT_EQ(layout.heading[0].text, "4 samples; 2 samples without a finite position omitted");
}

TEST(MapLayout, RejectsInvalidMaps) {
  const auto error_message_of = [](const ScatterMap& map) {
    return testing::error_message_of([&] { lay_out_map(map); });
  };
  const std::vector<float> four = {0, 0, 1, 1};
  const std::vector<float> lost = {kNan, 0};
  const std::vector<int64_t> three = {0, 0, 0};
  const std::vector<int64_t> two = {0, 2};
  EXPECT_THAT(error_message_of({}), HasSubstr("at least one sample"));
  EXPECT_THAT(error_message_of({.positions = std::span(four).first(3)}), HasSubstr("3 numbers"));
  EXPECT_THAT(error_message_of({.positions = four, .labels = three}),
              HasSubstr("3 labels for 2 samples"));
  EXPECT_THAT(error_message_of({.positions = four, .labels = two, .class_names = {"a", "b"}}),
              HasSubstr("label 2"));
  EXPECT_THAT(error_message_of({.positions = lost}), HasSubstr("finite"));
}

class WriteScatterMap : public ::testing::Test {
 protected:
  std::string text_of(const std::string& name, const ScatterMap& map) {
    write_scatter_map(dir_ / name, map);
    return testing::contents(dir_ / name);
  }

  testing::ScratchDir dir_;
};

TEST_F(WriteScatterMap, ExtensionSelectsFormat) {
  const Clusters clusters(50, 3);
  for (const auto* name : {"map.SVG", "map.html", "map.png"}) {
    write_scatter_map(dir_ / name, clusters.map());
  }
  EXPECT_THAT(testing::contents(dir_ / "map.SVG"), ::testing::StartsWith("<svg "));
  EXPECT_THAT(testing::contents(dir_ / "map.html"), ::testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(
      testing::error_message_of([&] { write_scatter_map(dir_ / "map.pdf", clusters.map()); }),
      AllOf(HasSubstr("map.pdf"), HasSubstr(".svg")));
  EXPECT_THAT(testing::error_message_of([] { check_map_name("map"); }), HasSubstr(".png"));
  EXPECT_THAT(testing::names_in(dir_.path()), ElementsAre("map.SVG", "map.html", "map.png"));
}

TEST_F(WriteScatterMap, SvgOfTenThousandDotsIsSmall) {
  EXPECT_LT(text_of("ten.svg", Clusters(10'000, 10).map()).size(), 250'000U);
  EXPECT_LT(text_of("hundred.svg", Clusters(10'000, 100).map()).size(), 400'000U);
}

TEST_F(WriteScatterMap, SvgContainsAllDotsAndNames) {
  const Clusters clusters(200, 3);
  const auto svg = text_of("map.svg", clusters.map({"cat", "dog", "cow"}));
  EXPECT_EQ(testing::markup_problem(svg), "");
  size_t dots = 0;
  for (size_t at = 0; (at = svg.find("h0", at)) != svg.npos; ++at) ++dots;
  EXPECT_EQ(dots, 200U);
  for (const auto* name : {">cat</text>", ">dog</text>", ">cow</text>", ">A map</text>"}) {
    EXPECT_THAT(svg, HasSubstr(name));
  }
  for (const auto& color : class_colors(3)) EXPECT_THAT(svg, HasSubstr(hex(color)));
}

TEST_F(WriteScatterMap, EscapesHostileNames) {
  const Clusters clusters(30, 4);
  auto map = clusters.map({"<script>alert(1)</script>", "a\"b' & c\x01\x1B[0m", "\xFF\xFE bad",
                           "\xEF\xBF\xBF\xEF\xBF\xBE]]>"});
  map.title = "<img src=x onerror=alert(1)>";
  map.subtitle = "\"><script>";
  for (const auto* name : {"map.svg", "map.html"}) {
    const auto text = text_of(name, map);
    EXPECT_THAT(text,
                AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<img")), Not(HasSubstr("\x01")),
                      Not(HasSubstr("\xFF")), Not(HasSubstr("\xEF\xBF\xBF")),
                      HasSubstr("&lt;script&gt;"), HasSubstr("\\x01")));
    const auto svg = text.substr(text.find("<svg"), text.find("</svg>") + 7 - text.find("<svg"));
    EXPECT_EQ(testing::markup_problem(svg), "");
  }
  EXPECT_NO_THROW(write_scatter_map(dir_ / "map.png", map));
}

TEST_F(WriteScatterMap, HtmlIsSelfContainedAndFadesByClass) {
  const auto html = text_of("map.html", Clusters(30, 3).map());
  EXPECT_THAT(html, AllOf(HasSubstr("default-src 'none'"), HasSubstr("prefers-color-scheme: dark"),
                          HasSubstr("svg:has(.k2:is(:hover"), HasSubstr("class=\"key k2\""),
                          HasSubstr("class=\"mark c2\""), Not(HasSubstr("<script")),
                          Not(HasSubstr("href"))));
}

TEST_F(WriteScatterMap, PngHasClassColors) {
  const Clusters clusters(300, 5);
  write_scatter_map(dir_ / "map.png", clusters.map());
  const auto image = io::read_image(dir_ / "map.png", "map");
  EXPECT_GE(image.width, 1600);
  ASSERT_EQ(image.channels, 3);
  std::set<std::string> seen;
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    seen.insert(hex({image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]}));
  }
  for (const auto& color : class_colors(5)) EXPECT_TRUE(seen.contains(hex(color)));
}

TEST_F(WriteScatterMap, SingleSampleIsCentered) {
  const std::vector<float> positions = {7, -3};
  const ScatterMap map{.positions = positions, .labels = {}};
  const auto layout = lay_out_map(map);
  EXPECT_EQ(layout.runs.at(0).points.at(0), layout.frame.middle());
  EXPECT_EQ(testing::markup_problem(text_of("one.svg", map)), "");
}

}  // namespace
}  // namespace projnce::report
