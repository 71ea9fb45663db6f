#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace projnce::report {

/// Builds one line of a CSV file: `CsvRow().text(name).whole(3).number(0.5).line()`.
///
/// Quoting follows RFC 4180: a text with a comma, a quote or a line break is quoted, and its quotes
/// are doubled. Lines end in a line feed, as Unix tools expect.
///
/// Spreadsheets evaluate text that starts with = + - @ or a tab as a formula, and names are
/// untrusted. Such text is prefixed with an apostrophe, which marks it as text; so is text that
/// starts with an apostrophe, so that removing one always restores the original. Numbers are not
/// prefixed.
class CsvRow {
 public:
  /// Other control characters and invalid UTF-8 are written unchanged.
  CsvRow& text(std::string_view text);
  /// Text without the prefix, for values that other programs compare with their own.
  CsvRow& exact(std::string_view text);
  CsvRow& whole(int64_t number);
  CsvRow& number(double number);  ///< formatted as %.6g
  CsvRow& nothing();              ///< an empty field

  /// Returns the row with its line feed.
  std::string line() const { return row_ + '\n'; }

 private:
  CsvRow& add(std::string_view field);

  std::string row_;
  bool first_ = true;
};

/// Rows of cells in aligned columns for a terminal, one line for each row. Texts are UTF-8; every
/// character counts as one column. Rows may have different lengths.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace projnce::report
