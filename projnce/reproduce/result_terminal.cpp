#include "projnce/reproduce/result_terminal.h"

#include <fmt/format.h>

#include <algorithm>

#include "projnce/reproduce/result_text.h"

namespace projnce {

namespace {

/// Cells of a terminal that the text fills: its characters hold one each.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

std::string padded(const std::string& text, size_t width) {
  return text + std::string(width - std::min(width, width_of(text)), ' ');
}

std::string cell_text(const ResultCell& cell, ResultUnit unit) {
  auto text = cell.runs.empty() ? std::string("–") : mean_text(cell, unit);
  if (cell.paper) text += fmt::format(" (paper {})", unit_number(*cell.paper, unit));
  return text;
}

/// A number for each column, so that long titles need not stand above narrow numbers.
std::string column_key(size_t column) {
  return fmt::format("[{}]", column + 1);
}

std::string table_text(const ResultTable& table) {
  std::vector<std::vector<std::string>> rows = {{""}};
  for (size_t c = 0; c < table.columns.size(); ++c) rows.front().push_back(column_key(c));
  for (size_t r = 0; r < table.rows.size(); ++r) {
    rows.push_back({table.rows[r].title});
    for (const auto& cell : table.cells[r]) rows.back().push_back(cell_text(cell, table.unit));
  }
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  auto text = fmt::format("{}, {}\n", table.title, unit_phrase(table.unit));
  for (size_t c = 0; c < table.columns.size(); ++c) {
    text += fmt::format("  {} {}\n", column_key(c), table.columns[c].title);
  }
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) line += padded(row[c], widths[c]) + "  ";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + seeds_phrase(table) + ".\n";
}

}  // namespace

std::string result_terminal(const Result& result) {
  std::string text;
  for (const auto& table : result.tables) text += table_text(table) + "\n";
  return text + training_sentence(result) + "\n";
}

}  // namespace projnce
