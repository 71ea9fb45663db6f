#include "projnce/io/table/data_table.h"

#include <algorithm>
#include <vector>

#include "projnce/core/error.h"

namespace projnce::io {

namespace {

class DelimitedParser {
 public:
  DelimitedParser(std::string_view text, char delimiter, TableRows& rows)
      : text_(text), delimiter_(delimiter), rows_(rows) {}

  void parse() {
    read_header();
    while (skip_blank_lines()) {
      const size_t begin = at_;
      const int64_t line = line_;
      const size_t first = rows_.fields.size();
      read_record();
      check_width(rows_.fields.size() - first, line);
      rows_.first_fields.push_back(first);
      rows_.records.push_back(text_.substr(begin, at_ - begin));
      rows_.lines.push_back(line);
      skip_line_break();
    }
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  bool at_line_break() const { return !at_end() && (text_[at_] == '\n' || text_[at_] == '\r'); }

  void skip_line_break() {
    if (at_end()) return;
    const bool two = text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
    at_ += two ? 2 : 1;
    ++line_;
  }

  /// Returns false at the end of the text.
  bool skip_blank_lines() {
    while (at_line_break()) skip_line_break();
    return !at_end();
  }

  void read_header() {
    if (!skip_blank_lines()) fail(rows_.name, " is empty, expected a line with column names");
    const int64_t line = line_;
    read_record();
    if (rows_.fields.size() > rows_.limits.columns) {
      fail(rows_.at_line(line), " has ", rows_.fields.size(), " columns, expected at most ",
           rows_.limits.columns);
    }
    rows_.columns.assign(rows_.fields.begin(), rows_.fields.end());
    rows_.fields.clear();
    rows_.unescaped.clear();
    skip_line_break();
  }

  void check_width(size_t width, int64_t line) const {
    if (width == rows_.columns.size()) return;
    fail(Hint{"quote fields that contain the separator or a line break"}, rows_.at_line(line),
         " has ", width, width == 1 ? " field" : " fields", ", expected ", rows_.columns.size(),
         " as in the header");
  }

  /// Appends the fields of one record; stops at its line break.
  void read_record() {
    append(read_field());
    while (!at_end() && text_[at_] == delimiter_) {
      ++at_;
      append(read_field());
    }
  }

  void append(std::string_view field) {
    rows_.check_field(field.size(), line_);
    rows_.fields.push_back(field);
  }

  std::string_view read_field() {
    if (!at_end() && text_[at_] == '"') return read_quoted();
    const size_t begin = at_;
    while (!at_end() && text_[at_] != delimiter_ && !at_line_break()) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// Reads a field between quotes, in which two quotes stand for one.
  std::string_view read_quoted() {
    const int64_t line = line_;
    const size_t begin = ++at_;
    bool doubled = false;
    for (;; ++at_) {
      if (at_end()) {
        fail(Hint{"close it, or double quotes within a quoted field"}, rows_.at_line(line),
             " has a quote that is not closed");
      }
      if (text_[at_] == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
        doubled = true;
        ++at_;
      } else if (text_[at_] == '\n' ||
                 (text_[at_] == '\r' && !text_.substr(at_ + 1).starts_with('\n'))) {
        ++line_;
      }
    }
    const auto quoted = text_.substr(begin, at_ - begin);
    ++at_;
    if (!at_end() && text_[at_] != delimiter_ && !at_line_break()) {
      fail(Hint{"double quotes within a quoted field"}, rows_.at_line(line_),
           " has text after a closing quote");
    }
    return doubled ? unescape(quoted) : quoted;
  }

  std::string_view unescape(std::string_view quoted) {
    std::string plain;
    for (size_t i = 0; i < quoted.size(); ++i) {
      plain += quoted[i];
      if (quoted[i] == '"') ++i;
    }
    return rows_.unescaped.emplace_back(std::move(plain));
  }

  std::string_view text_;
  char delimiter_;
  TableRows& rows_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

}  // namespace

char csv_delimiter(std::string_view text) {
  bool quoted = false;
  bool semicolon = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',') return ',';
    if (c == ';') semicolon = true;
    if (c == '\n' || c == '\r') break;
  }
  return semicolon ? ';' : ',';
}

void parse_delimited(std::string_view text, char delimiter, TableRows& rows) {
  DelimitedParser(text, delimiter, rows).parse();
}

std::string quote_field(std::string_view field, char delimiter) {
  const bool plain = std::none_of(field.begin(), field.end(), [&](char c) {
    return c == delimiter || c == '"' || c == '\r' || c == '\n';
  });
  if (plain) return std::string(field);
  std::string out = "\"";
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace projnce::io
