#include "projnce/report/chart/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace projnce::report {

namespace {

constexpr std::array<Color, 20> kDistinctColors = {{
    {0x36, 0x50, 0x9C}, {0xE0, 0x8C, 0x1D}, {0x0C, 0x91, 0x9E}, {0xE4, 0x3F, 0x5F},
    {0x87, 0x52, 0xE5}, {0x78, 0x9E, 0xFF}, {0xE1, 0xCA, 0x23}, {0xFD, 0xA8, 0xB9},
    {0x82, 0x3A, 0x4D}, {0x58, 0x79, 0x18}, {0x62, 0x5F, 0xB5}, {0xA4, 0xC3, 0x75},
    {0xA4, 0x41, 0x76}, {0x4A, 0xD6, 0xD9}, {0xED, 0x68, 0x59}, {0xAE, 0x97, 0xC6},
    {0xB6, 0x8F, 0x83}, {0x51, 0x2D, 0xCF}, {0xA9, 0xB3, 0xFF}, {0xE0, 0x4A, 0x9C},
}};

/// Converts linear light in 0..1 to an sRGB byte.
uint8_t srgb_byte(double light) {
  const double bounded = std::clamp(light, 0.0, 1.0);
  const double encoded =
      bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * std::pow(bounded, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255 * encoded));
}

/// Converts Oklch, the polar form of the perceptually uniform Oklab space (Ottosson, 2020).
Color from_oklch(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue);
  const double b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          srgb_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

Color generated_color(size_t number) {
  constexpr double kGoldenAngle = std::numbers::pi * (3 - 2.2360679774997896);
  constexpr std::array<double, 3> kLightness = {0.62, 0.76, 0.50};
  constexpr std::array<double, 3> kChroma = {0.17, 0.13, 0.15};
  const size_t level = number % kLightness.size();
  return from_oklch(kLightness[level], kChroma[level], static_cast<double>(number) * kGoldenAngle);
}

}  // namespace

std::string hex(const Color& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

std::vector<Color> class_colors(size_t count) {
  if (count <= kDistinctColors.size()) {
    return {kDistinctColors.begin(), kDistinctColors.begin() + static_cast<ptrdiff_t>(count)};
  }
  std::vector<Color> colors;
  for (size_t i = 0; i < count; ++i) colors.push_back(generated_color(i));
  return colors;
}

Color light_color(Ink ink) {
  switch (ink) {
    case Ink::kText:
      return {0x22, 0x21, 0x2A};
    case Ink::kSoft:
      return {0x6C, 0x6A, 0x75};
    case Ink::kLine:
      return {0xE4, 0xE1, 0xDC};
    case Ink::kPanel:
      return {0xFF, 0xFF, 0xFF};
    case Ink::kFound:
      return {0x2C, 0x7A, 0x3F};
    case Ink::kMissed:
      return {0xB3, 0x40, 0x2A};
    case Ink::kGround:
      break;
  }
  return {0xFB, 0xFA, 0xF8};
}

}  // namespace projnce::report
