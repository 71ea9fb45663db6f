#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/core/error.h"

namespace projnce::testing {

/// Checks one XML element and its children: mismatched tags, unquoted attributes, characters that
/// XML forbids, unescaped text. Supports the subset used by our SVG files: no comments, no
/// declarations.
class MarkupCheck {
 public:
  explicit MarkupCheck(std::string_view text) : text_(text) {}

  std::string problem() {
    try {
      for (const char c : text_) {
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n') fail("a control character");
      }
      element();
      space();
      if (!text_.empty()) fail("text after the end");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private:
  bool take(std::string_view what) {
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }
  void expect(std::string_view what) {
    if (!take(what)) fail("expected ", what, " at ", text_.substr(0, 40));
  }
  void space() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())) != 0) {
      text_.remove_prefix(1);
    }
  }
  std::string name() {
    size_t end = 0;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '-')) {
      ++end;
    }
    if (end == 0) fail("expected a name at ", text_.substr(0, 40));
    const std::string result(text_.substr(0, end));
    text_.remove_prefix(end);
    return result;
  }
  /// Reads text up to one of `ends`.
  void characters(std::string_view ends) {
    while (!text_.empty() && ends.find(text_.front()) == ends.npos) {
      if (text_.front() == '<') fail("a < in text");
      if (text_.front() == '&' && !take("&amp;") && !take("&lt;") && !take("&gt;") &&
          !take("&quot;") && !take("&#39;")) {
        fail("a bare & at ", text_.substr(0, 40));
      } else if (!text_.empty() && ends.find(text_.front()) == ends.npos && text_.front() != '&') {
        text_.remove_prefix(1);
      }
    }
  }
  void element() {
    expect("<");
    const auto tag = name();
    for (space(); !take(">"); space()) {
      if (take("/>")) return;
      name();
      expect("=\"");
      characters("\"");
      expect("\"");
    }
    while (!text_.starts_with("</")) {
      if (text_.empty()) fail("no end of ", tag);
      text_.front() == '<' ? element() : characters("<");
    }
    expect("</" + tag + ">");
  }

  std::string_view text_;
};

inline std::string markup_problem(std::string_view text) {
  return MarkupCheck(text).problem();
}

}  // namespace projnce::testing
