#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace projnce::report {

struct HtmlCell {
  std::string text;
  std::string note = {};  ///< small text below
  std::string link = {};  ///< URL of the text's link
  bool best = false;      ///< highlighted in its column
};

struct HtmlTable {
  std::vector<std::string> header;          ///< column names; the first column names the rows
  std::vector<std::vector<HtmlCell>> rows;  ///< one cell per column
  std::vector<HtmlCell> footer = {};
};

/// Self-contained HTML file without scripts, external files or network access. Follows the reader's
/// light or dark mode; colors are the CSS variables --ground, --panel, --text, --soft, --line,
/// --accent, --good and --bad. Texts may contain any bytes and are escaped.
///
///   HtmlDocument document("Results");
///   document.header("Results", "Accuracy by method.");
///   document.table({.header = {"method", "accuracy"}, .rows = {{{"SupCon"}, {"0.91"}}}});
///   document.figure(to_svg(chart), "Accuracy by batch size");
///   write_file_atomically("results.html", document.finish());
class HtmlDocument {
 public:
  /// `style` is CSS appended to the shared style sheet.
  explicit HtmlDocument(std::string_view title, std::string_view style = {});

  void header(std::string_view title, std::string_view summary);
  void section(std::string_view title);
  /// Adds a paragraph; text between a pair of ` is code. Does nothing if the text is empty.
  void paragraph(std::string_view text);
  /// Adds a list; items are formatted as by `paragraph`.
  void list(const std::vector<std::string>& items);
  void code(std::string_view text);
  void table(const HtmlTable& table);
  /// Adds a collapsed table.
  void folded_table(std::string_view title, const HtmlTable& table);
  /// Adds a drawing of an SvgCanvas. Hovering over a legend entry fades the other series or
  /// classes.
  void figure(std::string_view svg, std::string_view caption);
  void footer(std::string_view text);
  /// Adds raw HTML. REQUIRES: all text in it is escaped (escape_html).
  void markup(std::string_view html);

  std::string finish() const;

 private:
  std::string title_;
  std::string style_;
  std::string body_;
  size_t keys_ = 0;  // of the largest legend
};

}  // namespace projnce::report
