#include "projnce/report/chart/lettering.h"

#include <cairo.h>

#include <cctype>
#include <memory>
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

}  // namespace projnce::report
