#include "projnce/reproduce/result_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "projnce/reproduce/chart_axis.h"
#include "projnce/reproduce/condition_axis.h"
#include "projnce/reproduce/dot_chart.h"
#include "projnce/reproduce/line_chart.h"
#include "projnce/reproduce/result_text.h"

namespace projnce {

namespace {

/// Part of a file's name that every system can hold and every address too.
std::string file_part(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

std::string chart_file(const Result& result, const ResultTable& table, std::string_view of) {
  auto name = file_part(result.name) + '-' + file_part(table.measure);
  if (const auto part = file_part(of); !part.empty()) name += '-' + part;
  return name + ".svg";
}

ChartValue chart_value(const ResultTable& table, size_t row, size_t column) {
  const auto& cell = table.cells.at(row).at(column);
  const double scale = table.unit == ResultUnit::kPercent ? 100 : 1;
  ChartValue value;
  for (const auto& run : cell.runs) value.seeds.push_back(scale * run.value);
  if (!cell.runs.empty()) {
    value.mean = scale * mean_value(cell);
    value.text = mean_text(cell, table.unit);
  }
  if (cell.paper) value.paper = scale * *cell.paper;
  return value;
}

bool column_has_numbers(const ResultTable& table, size_t column) {
  std::vector<ChartValue> values;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    if (!table.cells.at(row).at(column).runs.empty()) {
      values.push_back(chart_value(table, row, column));
    }
  }
  return !chart_numbers(values).empty();
}

std::string chart_unit(const ResultTable& table) {
  return table.unit == ResultUnit::kPercent ? "percent" : "nats";
}

/// The columns of each dataset that have numbers, in the order of the table.
std::vector<std::vector<size_t>> columns_by_dataset(const ResultTable& table) {
  std::vector<std::vector<size_t>> groups;
  std::map<std::string, size_t> places;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (!column_has_numbers(table, column)) continue;
    const auto [place, added] = places.try_emplace(table.columns[column].dataset, groups.size());
    if (added) groups.emplace_back();
    groups[place->second].push_back(column);
  }
  return groups;
}

/// Curves over the rows' x, in one column.
LineChart series_chart(const Result& result, const ResultTable& table, size_t column) {
  LineChart chart{.title = display_name(table.columns[column].title),
                  .subtitle = display_name(table.title),
                  .x_title = display_name(result.axis),
                  .y_title = chart_unit(table),
                  .stops = {},
                  .curves = {}};
  std::set<double> xs;
  for (const auto& row : table.rows) {
    if (!row.series.empty()) xs.insert(row.x);
  }
  const std::vector<double> rising(xs.begin(), xs.end());
  const auto places = spread_places(rising);
  for (size_t i = 0; i < rising.size(); ++i) {
    chart.stops.push_back({places[i], plain_number(rising[i])});
  }
  std::map<std::string, size_t> curves;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const auto& series = table.rows[row].series;
    if (series.empty()) continue;
    const auto [place, added] = curves.try_emplace(series, chart.curves.size());
    if (added) chart.curves.push_back({display_name(series), {}});
    const auto stop = static_cast<size_t>(std::distance(xs.begin(), xs.find(table.rows[row].x)));
    chart.curves[place->second].points.push_back({stop, chart_value(table, row, column)});
  }
  for (auto& curve : chart.curves) {
    std::stable_sort(curve.points.begin(), curve.points.end(),
                     [](const auto& a, const auto& b) { return a.stop < b.stop; });
  }
  return chart;
}

/// A curve for each method over the conditions of a dataset.
LineChart conditions_chart(const ResultTable& table, const std::vector<size_t>& columns) {
  const auto axis = condition_axis(table, columns);
  LineChart chart{.title = display_name(dataset_title(table.columns[columns.front()])),
                  .subtitle = display_name(table.title),
                  .x_title = axis.title,
                  .y_title = chart_unit(table),
                  .stops = axis.stops,
                  .curves = {}};
  for (size_t row = 0; row < table.rows.size(); ++row) {
    ChartCurve curve{display_name(table.rows[row].title), {}};
    for (size_t stop = 0; stop < axis.columns.size(); ++stop) {
      curve.points.push_back({stop, chart_value(table, row, axis.columns[stop])});
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

DotChart panels_chart(const ResultTable& table, const std::vector<size_t>& columns,
                      const std::string& title) {
  DotChart chart{.title = display_name(title),
                 .subtitle = display_name(table.title),
                 .x_title = "numbers " + unit_phrase(table.unit),
                 .rows = {},
                 .panels = {}};
  for (const auto& row : table.rows) chart.rows.push_back(display_name(row.title));
  for (const auto column : columns) {
    DotPanel panel{columns.size() == 1 ? "" : display_name(table.columns[column].title), {}};
    for (size_t row = 0; row < table.rows.size(); ++row) {
      panel.values.push_back(chart_value(table, row, column));
    }
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

std::string picture_title(const std::string& of, const ResultTable& table) {
  return of + ": " + table.title;
}

void add_series_charts(std::vector<ResultPicture>& pictures, const Result& result,
                       const ResultTable& table) {
  for (const auto& columns : columns_by_dataset(table)) {
    for (const auto number : columns) {
      const auto& column = table.columns[number];
      const auto of = columns.size() > 1 ? column.dataset + '-' + column.condition : column.dataset;
      pictures.push_back({chart_file(result, table, of), picture_title(column.title, table),
                          line_chart_svg(series_chart(result, table, number))});
    }
  }
}

void add_dataset_charts(std::vector<ResultPicture>& pictures, const Result& result,
                        const ResultTable& table) {
  std::vector<size_t> single;
  for (const auto& columns : columns_by_dataset(table)) {
    const auto& first = table.columns[columns.front()];
    if (columns.size() == 1) {
      single.push_back(columns.front());
      continue;
    }
    pictures.push_back({chart_file(result, table, first.dataset),
                        picture_title(dataset_title(first), table),
                        line_chart_svg(conditions_chart(table, columns))});
  }
  if (single.empty()) return;
  const bool alone = single.size() == 1;
  const auto& column = table.columns[single.front()];
  const auto& title = alone ? column.title : result.title;
  pictures.push_back({chart_file(result, table, alone ? column.dataset : ""),
                      picture_title(title, table),
                      dot_chart_svg(panels_chart(table, single, title))});
}

}  // namespace

std::vector<ResultPicture> result_charts(const Result& result) {
  std::vector<ResultPicture> pictures;
  for (const auto& table : result.tables) {
    const bool curves = std::any_of(table.rows.begin(), table.rows.end(),
                                    [](const auto& row) { return !row.series.empty(); });
    curves ? add_series_charts(pictures, result, table)
           : add_dataset_charts(pictures, result, table);
  }
  return pictures;
}

}  // namespace projnce
