#include "projnce/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "projnce/io/table/data_table.h"

namespace projnce::report {

namespace {

bool looks_like_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r'").find(text.front()) != text.npos;
}

}  // namespace

CsvRow& CsvRow::add(std::string_view field) {
  if (!first_) row_ += ',';
  first_ = false;
  row_ += field;
  return *this;
}

CsvRow& CsvRow::text(std::string_view text) {
  return exact((looks_like_formula(text) ? "'" : "") + std::string(text));
}

CsvRow& CsvRow::exact(std::string_view text) {
  return add(io::quote_field(text, ','));
}

CsvRow& CsvRow::whole(int64_t number) {
  return add(std::to_string(number));
}

CsvRow& CsvRow::number(double number) {
  return add(fmt::format("{:.6g}", number));
}

CsvRow& CsvRow::nothing() {
  return add({});
}

namespace {

/// Number of characters of UTF-8 text: bytes that do not continue a character.
size_t character_count(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

}  // namespace

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], character_count(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - character_count(row[i]) + 2, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace projnce::report
