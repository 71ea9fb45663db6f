#include "projnce/report/chart/canvas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace projnce::report {
namespace {

using Light = std::array<double, 3>;

/// Converts sRGB to linear light.
Light light_of(const Color& color) {
  const auto linear = [](uint8_t byte) {
    const double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return {linear(color.red), linear(color.green), linear(color.blue)};
}

double luminance(const Color& color) {
  const auto [r, g, b] = light_of(color);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

double contrast(const Color& a, const Color& b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

/// Simulates protanopia or deuteranopia (Machado, Oliveira and Fernandes, 2009), or normal vision.
enum class Sight { kAll, kNoRed, kNoGreen };

Light seen(const Light& light, Sight sight) {
  if (sight == Sight::kAll) return light;
  using Matrix = std::array<Light, 3>;
  constexpr Matrix kNoRed = {{{0.152286, 1.052583, -0.204868},
                              {0.114503, 0.786281, 0.099216},
                              {-0.003882, -0.048116, 1.051998}}};
  constexpr Matrix kNoGreen = {{{0.367322, 0.860646, -0.227968},
                                {0.280085, 0.672501, 0.047413},
                                {-0.011820, 0.042940, 0.968881}}};
  const auto& matrix = sight == Sight::kNoRed ? kNoRed : kNoGreen;
  Light result{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) result[i] += matrix[i][j] * light[j];
    result[i] = std::clamp(result[i], 0.0, 1.0);
  }
  return result;
}

/// Converts to Oklab, which is perceptually uniform; black and white have distance 1.
Light oklab(const Light& light) {
  const auto [r, g, b] = light;
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double difference(const Color& a, const Color& b, Sight sight) {
  const auto x = oklab(seen(light_of(a), sight));
  const auto y = oklab(seen(light_of(b), sight));
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

double least_difference(const std::vector<Color>& colors, Sight sight) {
  double least = 1;
  for (size_t i = 0; i < colors.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      least = std::min(least, difference(colors[i], colors[j], sight));
    }
  }
  return least;
}

TEST(Palette, FirstTenColorsAreColorBlindSafe) {
  for (const auto sight : {Sight::kAll, Sight::kNoRed, Sight::kNoGreen}) {
    EXPECT_GT(least_difference(class_colors(10), sight), 0.1);
    EXPECT_GT(least_difference(class_colors(20), sight), 0.055);
  }
}

TEST(Palette, FewerClassesUseFirstColors) {
  const auto twenty = class_colors(20);
  for (size_t count = 1; count <= 20; ++count) {
    const auto colors = class_colors(count);
    ASSERT_EQ(colors.size(), count);
    EXPECT_TRUE(std::equal(colors.begin(), colors.end(), twenty.begin()));
  }
}

TEST(Palette, AdjacentColorsOfLongPalettesDiffer) {
  const auto colors = class_colors(200);
  ASSERT_EQ(colors.size(), 200U);
  for (size_t i = 1; i < colors.size(); ++i) {
    EXPECT_GT(difference(colors[i], colors[i - 1], Sight::kAll), 0.15) << i;
  }
  std::set<std::string> different;
  for (const auto& color : colors) different.insert(hex(color));
  EXPECT_EQ(different.size(), colors.size());
}

TEST(Palette, ColorsAreVisibleOnWhiteAndNearBlack) {
  for (const size_t count : {20, 100}) {
    for (const auto& color : class_colors(count)) {
      EXPECT_GT(contrast(color, {255, 255, 255}), 1.6) << hex(color);
      EXPECT_GT(contrast(color, {0x1E, 0x1D, 0x25}), 1.9) << hex(color);
    }
  }
}

TEST(Palette, HexHasTwoDigitsPerChannel) {
  EXPECT_EQ(hex({0, 10, 255}), "#000aff");
}

}  // namespace
}  // namespace projnce::report
