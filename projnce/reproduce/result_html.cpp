#include "projnce/reproduce/result_formats.h"

#include <fmt/format.h>

#include <system_error>

#include "projnce/report/page/html_document.h"
#include "projnce/report/server/run_index.h"
#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

namespace {

report::HtmlCell result_cell(const ResultTable& table, size_t row, size_t column,
                             const AbsenceNotes& notes) {
  const auto& cell = table.cells.at(row).at(column);
  report::HtmlCell html{.text = cell.runs.empty() ? "–" : mean_text(cell, table.unit)};
  for (const auto& mark : {missing_seeds(cell, most_runs(table)), notes.mark(cell)}) {
    if (!mark.empty()) html.text += ' ' + mark;
  }
  if (cell.paper()) {
    html.note = "paper " + unit_number(*cell.paper(), table.unit);
    if (!cell.runs.empty()) {
      html.note += ", " + difference_text(mean_value(cell) - *cell.paper(), table.unit);
    }
  }
  html.best = is_best(table, row, column);
  return html;
}

void add_table(report::HtmlDocument& document, const ResultTable& table) {
  const AbsenceNotes notes(table);
  report::HtmlTable html{.header = {"method"}, .rows = {}};
  for (const auto& column : table.columns) html.header.push_back(column.title);
  for (size_t row = 0; row < table.rows.size(); ++row) {
    html.rows.push_back({{table.rows[row].title}});
    for (size_t column = 0; column < table.columns.size(); ++column) {
      html.rows.back().push_back(result_cell(table, row, column, notes));
    }
  }
  if (has_rankings(table)) {
    html.footer.push_back({std::string(kRankingTitle)});
    for (const auto& column : table.columns) html.footer.push_back({ranking_text(column.ranking)});
  }
  document.section(table.title);
  document.paragraph(table_sentence(table));
  document.table(html);
  for (const auto& line : notes.lines()) document.paragraph(line);
}

/// Relative link from the document to the configuration of a run.
std::string config_address(const std::filesystem::path& run, const std::filesystem::path& folder) {
  std::error_code unknown;
  const auto from_here = std::filesystem::proximate(run, folder, unknown);
  return report::run_key(((unknown ? run : from_here) / "config.toml").native());
}

void add_runs(report::HtmlDocument& document, const Result& result,
              const std::filesystem::path& folder) {
  const auto runs = all_runs(result);
  if (runs.empty()) return;
  report::HtmlTable html{.header = {"method", "column", "seed"}, .rows = {}};
  for (const auto& table : result.tables) html.header.push_back(value_heading(table));
  html.header.emplace_back("configuration");
  for (const auto& run : runs) {
    std::vector<report::HtmlCell> row = {{run.method}, {run.column}, {std::to_string(run.seed)}};
    for (size_t t = 0; t < result.tables.size(); ++t) {
      row.push_back({run.values[t] ? unit_number(*run.values[t], result.tables[t].unit) : "–"});
    }
    row.push_back({.text = run.directory.native(), .link = config_address(run.directory, folder)});
    html.rows.push_back(std::move(row));
  }
  document.folded_table(runs.size() == 1
                            ? "The run and its configuration"
                            : fmt::format("All {} runs and their configurations", runs.size()),
                        html);
}

}  // namespace

std::string result_html(const Result& result, const std::filesystem::path& folder) {
  report::HtmlDocument document(result_title(result));
  document.header(result_title(result), result.question);
  for (const auto& sentence :
       {scale_sentence(result), training_sentence(result), source_sentence(result)}) {
    document.paragraph(sentence);
  }
  document.code(result.command);
  for (const auto& table : result.tables) add_table(document, table);
  if (!result.images.empty()) document.section("Charts");
  for (const auto& image : result.images) document.figure(image.svg, image.title);
  if (!result.remarks.empty()) {
    document.section("Remarks");
    document.list(result.remarks);
  }
  add_runs(document, result, folder);
  return document.finish();
}

}  // namespace projnce::reproduce
