#include "projnce/report/chart/canvas.h"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "projnce/io/printable.h"
#include "projnce/report/chart/png_canvas.h"

namespace projnce::report {

namespace {

constexpr size_t kLongestName = 240;  // bytes
constexpr std::string_view kEllipsis = "…";

bool is_character_start(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// Returns the offsets of all characters, and the end.
std::vector<size_t> character_starts(std::string_view text) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_character_start(text[i])) starts.push_back(i);
  }
  starts.push_back(text.size());
  return starts;
}

/// Returns true for Unicode noncharacters, which XML and cairo reject: U+FDD0 to U+FDEF and the
/// last two code points of each plane. REQUIRES: one UTF-8 character.
bool is_noncharacter(std::string_view character) {
  if (character.size() < 3) return false;
  uint32_t code = 0;  // lead byte bits of four-byte characters are irrelevant here
  for (const char byte : character.substr(character.size() - 3)) {
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  code &= 0xFFFFU;
  return (character.size() == 3 && code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFEU) == 0xFFFEU;
}

/// Returns the first or last `count` characters and an ellipsis.
std::string cut_to(std::string_view text, const std::vector<size_t>& starts, size_t count,
                   Cut cut) {
  if (cut == Cut::kEnd) {
    const auto kept = text.substr(0, starts[count]);
    return std::string(kept.substr(0, kept.find_last_not_of(' ') + 1)).append(kEllipsis);
  }
  return std::string(kEllipsis).append(text.substr(starts[starts.size() - 1 - count]));
}

}  // namespace

double text_width(std::string_view text, const Font& font) {
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1), cairo_surface_destroy);
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo(cairo_create(surface.get()),
                                                                 cairo_destroy);
  choose_font(cairo.get(), font);
  cairo_text_extents_t extents{};
  cairo_text_extents(cairo.get(), std::string(text).c_str(), &extents);
  return extents.x_advance;
}

std::string shorten(std::string_view text, const Font& font, double width, Cut cut) {
  if (text_width(text, font) <= width) return std::string(text);
  const auto starts = character_starts(text);
  size_t fits = 0;
  size_t too_many = starts.size() - 1;
  while (fits + 1 < too_many) {
    const size_t tried = (fits + too_many) / 2;
    (text_width(cut_to(text, starts, tried, cut), font) <= width ? fits : too_many) = tried;
  }
  return cut_to(text, starts, fits, cut);
}

std::string display_name(std::string_view name) {
  const auto text = io::printable(name);
  const auto starts = character_starts(text);
  std::string line;
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    const auto character = std::string_view(text).substr(starts[i], starts[i + 1] - starts[i]);
    if (line.size() + character.size() > kLongestName) return line.append(kEllipsis);
    line += is_noncharacter(character) ? "\uFFFD" : character;
  }
  return line;
}

std::string grouped(int64_t number) {
  auto digits = std::to_string(number);
  for (auto i = static_cast<long>(digits.size()) - 3; i > (number < 0 ? 1 : 0); i -= 3) {
    digits.insert(static_cast<size_t>(i), "\u202F");
  }
  return digits;
}

std::vector<std::string> prose_pieces(std::string_view text) {
  std::vector<std::string> pieces(1);
  bool space = false;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      space = true;
      continue;
    }
    if (space && pieces.size() + pieces.back().size() > 1) pieces.back() += ' ';
    space = false;
    c == '`' ? void(pieces.emplace_back()) : pieces.back().push_back(c);
  }
  if (pieces.size() % 2 == 1) return pieces;
  std::string whole = pieces.front();
  for (size_t i = 1; i < pieces.size(); ++i) whole += '`' + pieces[i];
  return {whole};
}

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
