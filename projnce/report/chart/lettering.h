#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace projnce::report {

/// DejaVu Sans, in units of the drawing.
struct Font {
  double size = 13;
  bool bold = false;
};

/// How wide the line is, so that drawings of every kind are laid out alike. REQUIRES: UTF-8
/// without control characters.
double text_width(std::string_view text, const Font& font);

enum class Cut { kStart, kEnd };

/// `text` where it is no wider than `width`, else as much of it as fits with an ellipsis in place
/// of its end, or of its start.
std::string shorten(std::string_view text, const Font& font, double width, Cut cut = Cut::kEnd);

/// A name out of a file, fit for one line of any canvas: control characters and bytes that are not
/// UTF-8 become \xNN, code points that are no characters become U+FFFD, and a very long name ends
/// in an ellipsis.
std::string display_name(std::string_view name);

/// 12 345 678, with a narrow gap.
std::string grouped(int64_t number);

/// Prose in pieces, alternately plain text and code that was between a pair of `. Every run of
/// white space becomes one space. A ` without its partner is a character like others.
std::vector<std::string> prose_pieces(std::string_view text);

}  // namespace projnce::report
