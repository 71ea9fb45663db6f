#include "projnce/io/table/data_table.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/io/printable.h"

namespace projnce::io {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string lowercase_extension(const std::filesystem::path& path) {
  auto extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool is_json_lines(const std::string& extension) {
  return extension == ".jsonl" || extension == ".ndjson";
}

int64_t line_of(std::string_view text, size_t offset) {
  const auto before = text.substr(0, offset);
  return 1 + std::count(before.begin(), before.end(), '\n');
}

/// Throws unless the text is UTF-8 without NUL characters.
void check_encoding(std::string_view text, const TableRows& rows) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    fail(Hint{"save it as UTF-8"}, rows.name, " is UTF-16, expected UTF-8");
  }
  const size_t valid = valid_utf8_length(text);
  if (valid < text.size()) {
    fail(Hint{"convert it, for example with iconv -f WINDOWS-1252 -t UTF-8"},
         rows.at_line(line_of(text, valid)), " has the byte ", printable(text.substr(valid, 1)),
         ", which is not UTF-8");
  }
  if (const size_t nul = text.find('\0'); nul != text.npos) {
    fail(rows.at_line(line_of(text, nul)), " has a NUL character, expected text");
  }
}

void check_columns(const TableRows& rows) {
  std::set<std::string_view> seen;
  for (const auto& column : rows.columns) {
    if (!seen.insert(column).second) {
      fail(rows.name, " has two columns '", printable_start(column), "', expected different names");
    }
  }
}

}  // namespace

void TableRows::check_field(size_t bytes, int64_t line) const {
  if (bytes > limits.field_bytes) {
    fail(at_line(line), " has a field of ", bytes, " bytes, expected at most ", limits.field_bytes);
  }
  if (fields.size() >= limits.fields) {
    fail(Hint{"store embeddings in a .npy file next to the table"}, name, " has more than ",
         limits.fields, " fields");
  }
}

std::string TableRows::at_line(int64_t line) const {
  return concat(name, ":", line);
}

std::optional<size_t> DataTable::find_column(std::string_view name) const {
  const auto& names = rows_->columns;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<size_t>(found - names.begin());
}

size_t DataTable::column(const std::string& name) const {
  if (const auto found = find_column(name)) return *found;
  std::vector<std::string> known;
  for (const auto& column : columns()) known.push_back(printable_start(column));
  const auto nearest = nearest_name(printable_start(name), known);
  const auto question = nearest.empty() ? "" : concat("did you mean '", nearest, "'? ");
  fail(Hint{concat(question, "columns: ", join(known))}, this->name(), " has no column '",
       printable_start(name), "'");
}

std::string_view DataTable::field(int64_t row, size_t column) const {
  const auto r = static_cast<size_t>(row);
  const size_t index = rows_->first_fields[r] + column;
  const size_t end =
      r + 1 < rows_->first_fields.size() ? rows_->first_fields[r + 1] : rows_->fields.size();
  return index < end ? rows_->fields[index] : std::string_view();
}

std::string DataTable::location(int64_t row) const {
  return rows_->at_line(rows_->lines[static_cast<size_t>(row)]);
}

std::string_view DataTable::header() const {
  const auto text = as_text(bytes_.span());
  return text.substr(0, static_cast<size_t>(rows_->records.front().data() - text.data()));
}

std::string_view DataTable::content() const {
  return as_text(bytes_.span());
}

bool is_table_name(const std::filesystem::path& path) {
  const auto extension = lowercase_extension(path);
  return extension == ".csv" || extension == ".tsv" || extension == ".tab" ||
         is_json_lines(extension);
}

DataTable read_table(const std::filesystem::path& path, const TableLimits& limits) {
  auto rows = std::make_unique<TableRows>();
  rows->name = printable(path.native());
  rows->limits = limits;
  if (!is_table_name(path)) {
    fail(rows->name, " is not a table, expected .csv, .tsv or .jsonl");
  }
  auto bytes = read_regular_file(path, limits.file_bytes);
  auto text = as_text(bytes.span());
  check_encoding(text, *rows);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());

  const auto extension = lowercase_extension(path);
  char delimiter = '\0';
  if (is_json_lines(extension)) {
    parse_json_lines(text, *rows);
  } else {
    delimiter = extension == ".csv" ? csv_delimiter(text) : '\t';
    parse_delimited(text, delimiter, *rows);
  }
  check_columns(*rows);
  if (rows->first_fields.empty()) fail(rows->name, " has no rows");
  return {std::move(bytes), delimiter, std::move(rows)};
}

}  // namespace projnce::io
