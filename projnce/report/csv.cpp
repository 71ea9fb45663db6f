#include "projnce/report/csv.h"

#include <fmt/format.h>

namespace projnce::report {

namespace {

bool looks_like_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r'").find(text.front()) != text.npos;
}

std::string quote_field(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

CsvRow& CsvRow::add(std::string_view field) {
  if (!first_) row_ += ',';
  first_ = false;
  row_ += field;
  return *this;
}

CsvRow& CsvRow::text(std::string_view text) {
  const auto safe = (looks_like_formula(text) ? "'" : "") + std::string(text);
  return add(safe.find_first_of(",\"\r\n") == safe.npos ? safe : quote_field(safe));
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

}  // namespace projnce::report
