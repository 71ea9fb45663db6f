#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/io/filesystem/regular_file.h"

namespace projnce::io {

/// Limits of tables, so that a hostile file cannot exhaust the memory.
struct TableLimits {
  size_t file_bytes = size_t{2} << 30;
  size_t fields = size_t{1} << 27;  ///< of all rows
  size_t field_bytes = size_t{16} << 20;
  size_t columns = size_t{1} << 16;
};

/// Contents of a table file: views into the bytes of the file or, where a field is stored with
/// escapes, into `unescaped`. The parsers append to it.
struct TableRows {
  std::string name;                       ///< printable path
  std::vector<std::string> columns;       ///< all different
  std::vector<std::string_view> fields;   ///< of all rows; a row may lack its last columns
  std::vector<size_t> first_fields;       ///< index of the first field of each row
  std::vector<std::string_view> records;  ///< text of each row in the file, without line break
  std::vector<int64_t> lines;             ///< line of the file, from 1, where each row begins
  std::deque<std::string> unescaped;
  TableLimits limits;

  /// Throws if the row that is being appended has a field or a number of fields above the limits.
  void check_field(size_t bytes, int64_t line) const;
  /// "data.csv:17"
  std::string at_line(int64_t line) const;
};

/// A table of text: rows of fields under named columns.
class DataTable {
 public:
  DataTable(FileBytes bytes, char delimiter, std::unique_ptr<const TableRows> rows)
      : bytes_(std::move(bytes)), delimiter_(delimiter), rows_(std::move(rows)) {}

  /// Printable path.
  const std::string& name() const { return rows_->name; }
  int64_t size() const { return static_cast<int64_t>(rows_->first_fields.size()); }
  const std::vector<std::string>& columns() const { return rows_->columns; }

  std::optional<size_t> find_column(std::string_view name) const;
  /// Throws, listing the columns, if there is none of this name.
  size_t column(const std::string& name) const;
  /// Field of a row; "" if the row lacks the column, as a line of JSON may.
  std::string_view field(int64_t row, size_t column) const;

  /// Location of a row for messages: "data.csv:17".
  std::string location(int64_t row) const;
  /// Text of a row as stored, without its line break.
  std::string_view record(int64_t row) const { return rows_->records[static_cast<size_t>(row)]; }
  /// Everything that is stored before the first row: the header line of CSV and TSV.
  std::string_view header() const;
  /// All bytes of the file.
  std::string_view content() const;
  /// Separates the fields; '\0' for JSON lines.
  char delimiter() const { return delimiter_; }

 private:
  FileBytes bytes_;
  char delimiter_;
  std::unique_ptr<const TableRows> rows_;
};

/// True for names that end in .csv, .tsv, .tab, .jsonl or .ndjson.
bool is_table_name(const std::filesystem::path& path);

/// Reads a table with at least one row. The extension selects the format:
///
///   .csv           fields separated by commas (by semicolons if the header has no comma)
///   .tsv, .tab     fields separated by tabs
///   .jsonl, .ndjson  one JSON object per line; its keys are the columns
///
/// In CSV and TSV, the first line names the columns, and fields may be quoted as in RFC 4180,
/// including line breaks. Lines end in LF, CR LF or CR; blank lines are skipped. In JSON lines,
/// strings are taken as they are, null is "", and other values are their JSON text.
///
/// The file is UTF-8, with or without a byte order mark. Throws, naming file and line, for other
/// encodings, NUL characters, rows with another number of fields than the header, unterminated
/// quotes, text after a closing quote, duplicate columns, invalid JSON, and anything above the
/// limits.
DataTable read_table(const std::filesystem::path& path, const TableLimits& limits = {});

/// Returns ';' if the first line has semicolons and no comma outside of quotes, else ','.
char csv_delimiter(std::string_view text);

/// Parses CSV or TSV with a header line; see read_table. `text` is UTF-8 without a byte order mark
/// and must outlive `rows`.
void parse_delimited(std::string_view text, char delimiter, TableRows& rows);

/// Formats a field of a CSV or TSV file, quoted if needed.
std::string quote_field(std::string_view field, char delimiter);

/// Parses one JSON object per line; see read_table. `text` is UTF-8 without a byte order mark and
/// must outlive `rows`.
void parse_json_lines(std::string_view text, TableRows& rows);

}  // namespace projnce::io
