#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace projnce::report {

struct HtmlCell {
  std::string text;
  std::string note = {};  ///< small, below the text
  std::string link = {};  ///< address that the text links to
  bool best = false;      ///< stands out in its column
};

struct HtmlTable {
  std::vector<std::string> header;          ///< of the columns; the first names the rows
  std::vector<std::vector<HtmlCell>> rows;  ///< with a cell for each column
  std::vector<HtmlCell> footer = {};
};

/// A self-contained HTML file: no scripts, no other files, no network. It follows the reader's
/// choice of light or dark; its colors are the CSS variables --ground, --panel, --text, --soft,
/// --line, --accent, --good and --bad. Every text may hold any bytes: it never becomes markup.
///
///   HtmlDocument document("Results");
///   document.header("Results", "What came out.");
///   document.table({.header = {"method", "accuracy"}, .rows = {{{"SupCon"}, {"0.91"}}}});
///   document.figure(to_svg(chart), "Accuracy by batch size");
///   write_file_atomically("results.html", document.finish());
class HtmlDocument {
 public:
  /// `style` is CSS that follows the rules that all documents share.
  explicit HtmlDocument(std::string_view title, std::string_view style = {});

  void header(std::string_view title, std::string_view summary);
  void section(std::string_view title);
  /// Text between a pair of ` is code. Nothing for an empty text.
  void paragraph(std::string_view text);
  /// As `paragraph`, for each item.
  void list(const std::vector<std::string>& items);
  void code(std::string_view text);
  void table(const HtmlTable& table);
  /// A table that is shown when the reader opens it.
  void folded_table(std::string_view title, const HtmlTable& table);
  /// `svg` is a drawing of an SvgCanvas. While the reader points at a key of its legend, the other
  /// series or classes fade.
  void figure(std::string_view svg, std::string_view caption);
  void footer(std::string_view text);
  /// Adds `html` as it is. REQUIRES: every text in it is escaped (escape_html).
  void markup(std::string_view html);

  std::string finish() const;

 private:
  std::string title_;
  std::string style_;
  std::string body_;
  size_t keys_ = 0;  // of the legend that has the most
};

}  // namespace projnce::report
