#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace projnce::report {

/// DejaVu Sans; the size is in drawing units.
struct Font {
  double size = 13;
  bool bold = false;
};

/// Returns the width of a line of text, the same for every kind of canvas. REQUIRES: UTF-8 without
/// control characters.
double text_width(std::string_view text, const Font& font);

enum class Cut { kStart, kEnd };

/// Returns `text` if it fits into `width`, else truncates it and adds an ellipsis at the end or at
/// the start.
std::string shorten(std::string_view text, const Font& font, double width, Cut cut = Cut::kEnd);

/// Sanitizes an untrusted name for one line of any canvas: control characters and invalid UTF-8
/// become \xNN, noncharacters become U+FFFD, and very long names are truncated with an ellipsis.
std::string display_name(std::string_view name);

/// Formats with narrow spaces between groups of digits: 12 345 678.
std::string grouped(int64_t number);

/// Splits prose into pieces that alternate between plain text and code between a pair of `. Runs of
/// white space become one space. An unpaired ` is an ordinary character.
std::vector<std::string> prose_pieces(std::string_view text);

}  // namespace projnce::report
