#include "projnce/io/printable.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace projnce::io {

namespace {

/// Length in bytes of the UTF-8 character at the start of `text`; 0 if it is invalid.
size_t character_length(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text.front());
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (text.size() < length) return 0;

  uint32_t code = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3FU);
  }
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < kSmallest[length] || code > 0x10FFFF || surrogate ? 0 : length;
}

bool needs_no_escape(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte >= 0x20 && byte != 0x7F && c != '\\';
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = character_length(text);
    if (length > 0 && needs_no_escape(text.front())) {
      out += text.substr(0, length);
      text.remove_prefix(length);
    } else {
      out += fmt::format("\\x{:02X}", static_cast<uint8_t>(text.front()));
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string printable_start(std::string_view text) {
  constexpr size_t kMaxLength = 120;
  return printable(text.substr(0, kMaxLength)) + (text.size() > kMaxLength ? "…" : "");
}

size_t valid_utf8_length(std::string_view text) {
  size_t valid = 0;
  while (valid < text.size()) {
    const size_t length = character_length(text.substr(valid));
    if (length == 0) break;
    valid += length;
  }
  return valid;
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace projnce::io
