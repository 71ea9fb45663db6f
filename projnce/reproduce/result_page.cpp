#include "projnce/reproduce/result_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "projnce/io/html.h"
#include "projnce/report/lettering.h"
#include "projnce/report/run_index_page.h"
#include "projnce/reproduce/result_page_style.h"
#include "projnce/reproduce/result_runs.h"
#include "projnce/reproduce/result_text.h"

namespace projnce {

namespace {

/// A name of any origin between tags.
std::string page_text(std::string_view text) {
  return escape_html(display_name(text));
}

/// Sentences, with what stands between a pair of ` as code.
std::string prose_html(std::string_view text) {
  std::string html;
  const auto pieces = prose_pieces(text);
  for (size_t i = 0; i < pieces.size(); ++i) {
    html += i % 2 == 0 ? escape_html(pieces[i])
                       : fmt::format("<code>{}</code>", escape_html(pieces[i]));
  }
  return html;
}

/// The value that a full bar stands for: all of it, or the most nats of the table.
double full_bar(const ResultTable& table) {
  if (table.unit == ResultUnit::kPercent) return 1;
  double most = 0;
  for (const auto& row : table.cells) {
    for (const auto& cell : row) {
      if (!cell.runs.empty()) most = std::max(most, mean_value(cell));
    }
  }
  return most;
}

std::string bar_html(const ResultCell& cell, double full) {
  const double mean = mean_value(cell);
  const double share = full > 0 && std::isfinite(mean) ? std::clamp(mean / full, 0.0, 1.0) : 0;
  return fmt::format("<span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>", 100 * share);
}

std::string paper_html(const ResultCell& cell, ResultUnit unit) {
  if (!cell.paper) return "";
  auto text = "paper " + unit_number(*cell.paper, unit);
  if (!cell.runs.empty()) {
    text += ", " + difference_text(mean_value(cell) - *cell.paper, unit);
  }
  return "<small>" + text + "</small>";
}

std::string cell_html(const ResultTable& table, size_t row, size_t column,
                      const AbsenceNotes& notes) {
  const auto& cell = table.cells.at(row).at(column);
  const auto mark = notes.mark(cell);
  if (cell.runs.empty()) {
    return fmt::format("<td class=\"none\">–{}{}</td>", mark.empty() ? "" : " " + mark,
                       paper_html(cell, table.unit));
  }
  const auto text = mean_text(cell, table.unit);
  const auto spread = std::min(text.size(), text.find(" ±"));
  auto html = fmt::format("<td{}><b>{}</b>", is_best(table, row, column) ? " class=\"best\"" : "",
                          text.substr(0, spread));
  if (spread < text.size()) html += fmt::format("<span>{}</span>", text.substr(spread));
  const auto missing = missing_seeds(cell, most_runs(table));
  if (!missing.empty()) html += fmt::format(" <span>{}</span>", missing);
  if (!mark.empty()) html += ' ' + mark;
  return html + bar_html(cell, full_bar(table)) + paper_html(cell, table.unit) + "</td>";
}

std::string table_html(const ResultTable& table) {
  const AbsenceNotes notes(table);
  auto html = fmt::format(
      "<section><h2>{}</h2>\n<p>{}</p>\n<div class=\"wide\"><table>\n"
      "<thead><tr><th scope=\"col\">method</th>",
      page_text(table.title), table_sentence(table));
  for (const auto& column : table.columns) {
    html += fmt::format("<th scope=\"col\">{}</th>", page_text(column.title));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (size_t row = 0; row < table.rows.size(); ++row) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", page_text(table.rows[row].title));
    for (size_t column = 0; column < table.columns.size(); ++column) {
      html += cell_html(table, row, column, notes);
    }
    html += "</tr>\n";
  }
  html += "</tbody>\n";
  if (paper_has_numbers(table)) {
    html += fmt::format("<tfoot><tr><th scope=\"row\">{}</th>", kRankingTitle);
    for (const auto& column : table.columns) {
      html += fmt::format("<td>{}</td>", ranking_text(column.ranking));
    }
    html += "</tr></tfoot>\n";
  }
  html += "</table></div>\n";
  for (const auto& line : notes.lines()) html += fmt::format("<p>{}</p>\n", prose_html(line));
  return html + "</section>\n";
}

std::string pictures_html(const Result& result) {
  std::string html;
  for (const auto& picture : result.pictures) {
    html += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture.svg,
                        page_text(picture.title));
  }
  return html.empty() ? "" : "<section><h2>Pictures</h2>\n" + html + "</section>\n";
}

std::string remarks_html(const Result& result) {
  if (result.remarks.empty()) return "";
  std::string html = "<section><h2>Remarks</h2>\n<ul>\n";
  for (const auto& remark : result.remarks)
    html += fmt::format("<li>{}</li>\n", prose_html(remark));
  return html + "</ul></section>\n";
}

/// The run's settings as seen from the page.
std::string config_address(const std::filesystem::path& run, const std::filesystem::path& folder) {
  std::error_code unknown;
  const auto from_here = std::filesystem::proximate(run, folder, unknown);
  return run_key(((unknown ? run : from_here) / "config.toml").native());
}

std::string runs_html(const Result& result, const std::filesystem::path& folder) {
  const auto runs = all_runs(result);
  if (runs.empty()) return "";
  auto html = fmt::format(
      "<details><summary>All {} runs and their settings</summary>\n<div class=\"wide\"><table "
      "class=\"runs\">\n<thead><tr><th scope=\"col\">method</th><th scope=\"col\">column</th>"
      "<th scope=\"col\">seed</th>",
      runs.size());
  for (const auto& table : result.tables) {
    html += fmt::format("<th scope=\"col\">{}</th>", page_text(value_heading(table)));
  }
  html += "<th scope=\"col\">settings</th></tr></thead>\n<tbody>\n";
  for (const auto& run : runs) {
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td>", page_text(run.method),
                        page_text(run.column), run.seed);
    for (size_t t = 0; t < result.tables.size(); ++t) {
      html += fmt::format("<td>{}</td>",
                          run.values[t] ? unit_number(*run.values[t], result.tables[t].unit) : "–");
    }
    html += fmt::format("<td><a href=\"{}\">{}</a></td></tr>\n",
                        escape_html(config_address(run.directory, folder)),
                        page_text(run.directory.native()));
  }
  return html + "</tbody>\n</table></div></details>\n";
}

/// Colours of a picture: of methods in a chart, of classes in a map.
size_t most_colours(const Result& result) {
  size_t most = 10;
  for (const auto& table : result.tables) most = std::max(most, table.rows.size());
  return most;
}

}  // namespace

std::string result_page(const Result& result, const std::filesystem::path& folder) {
  auto html = html_start(page_title(result), result_page_style(most_colours(result)));
  html += html_heading(page_title(result), result.question);
  for (const auto& sentence :
       {scale_sentence(result), training_sentence(result), source_sentence(result)}) {
    if (!sentence.empty()) html += fmt::format("<p class=\"about\">{}</p>\n", prose_html(sentence));
  }
  html += fmt::format("<pre><code>{}</code></pre>\n", escape_html(result.command));
  for (const auto& table : result.tables) html += table_html(table);
  html += pictures_html(result) + remarks_html(result) + runs_html(result, folder);
  html += kHtmlEnd;
  return html;
}

}  // namespace projnce
