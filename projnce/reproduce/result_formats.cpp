#include "projnce/reproduce/result_formats.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "projnce/io/printable.h"
#include "projnce/report/chart/canvas.h"
#include "projnce/report/text_table.h"
#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

namespace {

void add_optional(report::CsvRow& line, const std::optional<double>& number) {
  number ? line.number(*number) : line.nothing();
}

std::string run_line(const Result& result, const ResultTable& table, const ResultRow& row,
                     const ResultColumn& column, const ResultCell& cell, const ResultRun& run) {
  const double mean = mean_value(cell);
  report::CsvRow line;
  line.text(result.name).text(result.scale).text(table.measure).text(column.dataset);
  line.text(column.condition).text(row.method).whole(run.seed).number(run.value);
  line.text(table.unit == ResultUnit::kPercent ? "share" : "nats").number(mean);
  add_optional(line, deviation(cell));
  add_optional(line, cell.paper());
  add_optional(line, cell.paper() ? std::optional(mean - *cell.paper()) : std::nullopt);
  line.text(run.directory.native());
  return line.line();
}

}  // namespace

std::string result_csv(const Result& result) {
  std::string csv =
      "name,scale,measure,dataset,condition,method,seed,value,unit,mean,deviation,paper,"
      "difference,directory\n";
  for (const auto& table : result.tables) {
    for (size_t row = 0; row < table.rows.size(); ++row) {
      for (size_t column = 0; column < table.columns.size(); ++column) {
        const auto& cell = table.cells.at(row).at(column);
        for (const auto& run : cell.runs) {
          csv += run_line(result, table, table.rows[row], table.columns[column], cell, run);
        }
      }
    }
  }
  return csv;
}

namespace {

using nlohmann::ordered_json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Null if not finite.
ordered_json finite_number(double number) {
  return std::isfinite(number) ? ordered_json(number) : ordered_json();
}

ordered_json column_json(const ResultColumn& column) {
  ordered_json ranking;
  if (column.ranking) {
    ranking = {{"kendall", finite_number(column.ranking->kendall)},
               {"methods", column.ranking->methods}};
  }
  return {{"dataset", column.dataset},
          {"condition", column.condition},
          {"title", column.title},
          {"ranking", ranking}};
}

ordered_json cell_json(const ResultCell& cell) {
  const double mean = cell.runs.empty() ? kNone : mean_value(cell);
  const double paper = cell.paper().value_or(kNone);
  ordered_json runs = ordered_json::array();
  for (const auto& run : cell.runs) {
    runs.push_back({{"seed", run.seed},
                    {"value", finite_number(run.value)},
                    {"directory", io::printable(run.directory.native())}});
  }
  return {{"mean", finite_number(mean)},
          {"deviation", finite_number(deviation(cell).value_or(kNone))},
          {"paper", finite_number(paper)},
          {"difference", finite_number(mean - paper)},
          {"absent", cell.absent},
          {"runs", runs}};
}

ordered_json table_json(const ResultTable& table) {
  ordered_json columns = ordered_json::array();
  for (const auto& column : table.columns) columns.push_back(column_json(column));
  ordered_json rows = ordered_json::array();
  for (const auto& row : table.rows) {
    rows.push_back({{"method", row.method},
                    {"title", row.title},
                    {"series", row.series},
                    {"x", finite_number(row.x)}});
  }
  ordered_json cells = ordered_json::array();
  for (const auto& row : table.cells) {
    ordered_json line = ordered_json::array();
    for (const auto& cell : row) line.push_back(cell_json(cell));
    cells.push_back(std::move(line));
  }
  return {{"measure", table.measure},
          {"title", table.title},
          {"unit", table.unit == ResultUnit::kPercent ? "share" : "nats"},
          {"columns", columns},
          {"rows", rows},
          {"cells", cells}};
}

}  // namespace

ordered_json result_json(const Result& result) {
  ordered_json tables = ordered_json::array();
  for (const auto& table : result.tables) tables.push_back(table_json(table));
  ordered_json images = ordered_json::array();
  for (const auto& image : result.images) {
    images.push_back({{"file", image.file}, {"title", image.title}});
  }
  return {{"name", result.name},
          {"title", result.title},
          {"question", result.question},
          {"scale", result.scale},
          {"recipe", result.recipe},
          {"source", result.source},
          {"command", result.command},
          {"axis", result.axis},
          {"trained_runs", result.trained_runs},
          {"trained_seconds", finite_number(result.trained_seconds)},
          {"remarks", result.remarks},
          {"tables", tables},
          {"images", images}};
}

namespace {

/// Escapes plain text for Markdown, on one line, so that it fits in a table cell.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\|<*`[").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

/// Escapes prose for Markdown, but keeps `code` spans.
std::string markdown_prose(std::string_view text) {
  std::string out;
  const auto pieces = report::prose_pieces(text);
  for (size_t i = 0; i < pieces.size(); ++i) {
    out += i % 2 == 0 ? markdown_text(pieces[i]) : '`' + pieces[i] + '`';
  }
  return out;
}

/// Formats a path as a code span; GitHub tables need an escaped pipe even there.
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

/// Alignment row of a table: left-aligned names, then right-aligned numbers.
std::string alignment_row(size_t names, size_t numbers, bool path = false) {
  std::string line = "|";
  for (size_t i = 0; i < names; ++i) line += "---|";
  for (size_t i = 0; i < numbers; ++i) line += "---:|";
  return line + (path ? "---|\n" : "\n");
}

std::string markdown_paper(const ResultCell& cell, ResultUnit unit) {
  if (!cell.paper()) return "";
  const auto paper = unit_number(*cell.paper(), unit);
  if (cell.runs.empty()) return fmt::format(" (paper {})", paper);
  return fmt::format(" (paper {}, {})", paper,
                     difference_text(mean_value(cell) - *cell.paper(), unit));
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
  if (has_rankings(table)) {
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
  std::string text = "## Runs\n\nEach folder contains the complete `config.toml` of the run.\n\n";
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

/// Formats a paragraph; "" for empty text.
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
  for (const auto& image : result.images) {
    text += fmt::format("![{}]({})\n\n", markdown_text(image.title), image.file);
  }
  return text + markdown_runs(result);
}

namespace {

std::string cell_text(const ResultCell& cell, ResultUnit unit) {
  auto text = cell.runs.empty() ? std::string("–") : mean_text(cell, unit);
  if (cell.paper()) text += fmt::format(" (paper {})", unit_number(*cell.paper(), unit));
  return text;
}

/// Short key of a column, because titles are wider than the values.
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
  auto text = fmt::format("{}, {}\n", table.title, unit_phrase(table.unit));
  for (size_t c = 0; c < table.columns.size(); ++c) {
    text += fmt::format("  {} {}\n", column_key(c), table.columns[c].title);
  }
  return text + report::text_table(rows) + seeds_phrase(table) + ".\n";
}

}  // namespace

std::string result_terminal(const Result& result) {
  std::string text;
  for (const auto& table : result.tables) text += table_text(table) + "\n";
  return text + training_sentence(result) + "\n";
}

}  // namespace projnce::reproduce
