#include "projnce/reproduce/result_markdown.h"

#include <fmt/format.h>

#include <string_view>

#include "projnce/report/lettering.h"
#include "projnce/reproduce/result_runs.h"
#include "projnce/reproduce/result_text.h"

namespace projnce {

namespace {

/// Plain text that Markdown shows as it is, on one line and inside one cell of a table.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\|<*`[").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

/// Sentences, with what stands between a pair of ` in letters of one width.
std::string markdown_prose(std::string_view text) {
  std::string out;
  const auto pieces = prose_pieces(text);
  for (size_t i = 0; i < pieces.size(); ++i) {
    out += i % 2 == 0 ? markdown_text(pieces[i]) : '`' + pieces[i] + '`';
  }
  return out;
}

/// A path in letters of one width; GitHub's tables want a pipe escaped even there.
std::string markdown_path(const std::filesystem::path& path) {
  const auto& name = path.native();
  if (name.find_first_of("`\\\n\r") != name.npos) return markdown_text(name);
  std::string out = "`";
  for (const char c : name) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out + '`';
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const auto& cell : cells) line += ' ' + cell + " |";
  return line + '\n';
}

/// Below the headings: names to the left, then numbers to the right.
std::string alignment_row(size_t names, size_t numbers, bool path = false) {
  std::string line = "|";
  for (size_t i = 0; i < names; ++i) line += "---|";
  for (size_t i = 0; i < numbers; ++i) line += "---:|";
  return line + (path ? "---|\n" : "\n");
}

std::string markdown_paper(const ResultCell& cell, ResultUnit unit) {
  if (!cell.paper) return "";
  const auto paper = unit_number(*cell.paper, unit);
  if (cell.runs.empty()) return fmt::format(" (paper {})", paper);
  return fmt::format(" (paper {}, {})", paper,
                     difference_text(mean_value(cell) - *cell.paper, unit));
}

std::string markdown_cell(const ResultTable& table, size_t row, size_t column,
                          const AbsenceNotes& notes) {
  const auto& cell = table.cells.at(row).at(column);
  std::string text = "–";
  if (!cell.runs.empty()) {
    text = mean_text(cell, table.unit);
    if (is_best(table, row, column)) text = "**" + text + "**";
    const auto missing = missing_seeds(cell, most_runs(table));
    if (!missing.empty()) text += ' ' + missing;
  }
  const auto mark = notes.mark(cell);
  if (!mark.empty()) text += ' ' + mark;
  return text + markdown_paper(cell, table.unit);
}

std::string markdown_table(const ResultTable& table) {
  const AbsenceNotes notes(table);
  auto text = fmt::format("## {}\n\n{}\n\n", markdown_text(table.title), table_sentence(table));
  std::vector<std::string> heading = {"method"};
  for (const auto& column : table.columns) heading.push_back(markdown_text(column.title));
  text += markdown_row(heading) + alignment_row(1, table.columns.size());
  for (size_t row = 0; row < table.rows.size(); ++row) {
    std::vector<std::string> line = {markdown_text(table.rows[row].title)};
    for (size_t column = 0; column < table.columns.size(); ++column) {
      line.push_back(markdown_cell(table, row, column, notes));
    }
    text += markdown_row(line);
  }
  if (paper_has_numbers(table)) {
    std::vector<std::string> line = {std::string(kRankingTitle)};
    for (const auto& column : table.columns) line.push_back(ranking_text(column.ranking));
    text += markdown_row(line);
  }
  text += '\n';
  for (const auto& line : notes.lines()) text += markdown_prose(line) + "\n\n";
  return text;
}

std::string markdown_runs(const Result& result) {
  const auto runs = all_runs(result);
  if (runs.empty()) return "";
  std::string text =
      "## Runs\n\nEach folder holds the run's `config.toml`, which tells everything about it.\n\n";
  std::vector<std::string> heading = {"method", "column", "seed"};
  for (const auto& table : result.tables) heading.push_back(markdown_text(value_heading(table)));
  heading.emplace_back("folder");
  text += markdown_row(heading) + alignment_row(2, 1 + result.tables.size(), /*path=*/true);
  for (const auto& run : runs) {
    std::vector<std::string> line = {markdown_text(run.method), markdown_text(run.column),
                                     std::to_string(run.seed)};
    for (size_t t = 0; t < result.tables.size(); ++t) {
      line.push_back(run.values[t] ? unit_number(*run.values[t], result.tables[t].unit) : "–");
    }
    line.push_back(markdown_path(run.directory));
    text += markdown_row(line);
  }
  return text;
}

/// A paragraph, where there is something to say.
std::string paragraph(const std::string& text) {
  return text.empty() ? "" : markdown_prose(text) + "\n\n";
}

}  // namespace

std::string result_markdown(const Result& result) {
  auto text = fmt::format("# {}\n\n", markdown_text(result_title(result)));
  text += paragraph(result.question) + paragraph(scale_sentence(result)) +
          paragraph(training_sentence(result)) + paragraph(source_sentence(result));
  text += fmt::format("```sh\n{}\n```\n\n", result.command);
  for (const auto& table : result.tables) text += markdown_table(table);
  if (!result.remarks.empty()) text += "## Remarks\n\n";
  for (const auto& remark : result.remarks) text += "- " + markdown_prose(remark) + '\n';
  if (!result.remarks.empty()) text += '\n';
  for (const auto& picture : result.pictures) {
    text += fmt::format("![{}]({})\n\n", markdown_text(picture.title), picture.file);
  }
  return text + markdown_runs(result);
}

}  // namespace projnce
