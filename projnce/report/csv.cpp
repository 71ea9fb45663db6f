#include "projnce/report/csv.h"

#include <fmt/format.h>

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

}  // namespace projnce::report
