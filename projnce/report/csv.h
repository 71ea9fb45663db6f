#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace projnce::report {

/// One line of a CSV file, field after field: `CsvRow().text(name).whole(3).number(0.5).line()`.
///
/// Quoted as RFC 4180 says: a text with a comma, a quote or a line break stands in quotes, and its
/// quotes are doubled. Lines end in a line feed alone, as Unix tools expect.
///
/// Spreadsheets take what starts with = + - @ or a tab for a formula, and names come out of files
/// of others. Such a text gets an apostrophe before it, which spreadsheets know as "this is text";
/// so does one that starts with an apostrophe itself, so that taking one away always gives the
/// text back. Numbers are written as they are.
class CsvRow {
 public:
  /// Control characters and bytes that are not UTF-8 stay as they are, but for what is said above.
  CsvRow& text(std::string_view text);
  CsvRow& whole(int64_t number);
  CsvRow& number(double number);  ///< six digits, as %.6g prints them
  CsvRow& nothing();              ///< an empty field

  /// The row with its end of line.
  std::string line() const { return row_ + '\n'; }

 private:
  CsvRow& add(std::string_view field);

  std::string row_;
  bool first_ = true;
};

}  // namespace projnce::report
