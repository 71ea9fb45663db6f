#include "projnce/reproduce/result_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "projnce/report/lettering.h"
#include "projnce/report/line_chart.h"
#include "projnce/reproduce/condition_axis.h"
#include "projnce/reproduce/result_text.h"

namespace projnce {

namespace {

constexpr double kDodgeOfCurves = 0.1;
constexpr double kDodgeOfDatasets = 0.7;

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

std::string chart_unit(const ResultTable& table) {
  return table.unit == ResultUnit::kPercent ? "percent" : "nats";
}

double chart_scale(const ResultTable& table) {
  return table.unit == ResultUnit::kPercent ? 100 : 1;
}

ChartPoint chart_point(const ResultTable& table, size_t row, size_t column, double x) {
  const auto& cell = table.cells.at(row).at(column);
  const double scale = chart_scale(table);
  ChartPoint point{.x = x};
  if (!cell.runs.empty()) {
    point.y = scale * mean_value(cell);
    point.error = scale * deviation(cell).value_or(0);
    point.label = display_name(table.columns.at(column).title) + ": " + mean_text(cell, table.unit);
  }
  if (cell.paper) point.reference = scale * *cell.paper;
  return point;
}

bool column_has_numbers(const ResultTable& table, size_t column) {
  return std::any_of(table.cells.begin(), table.cells.end(), [&](const auto& row) {
    return !row.at(column).runs.empty() && std::isfinite(mean_value(row.at(column)));
  });
}

/// A chart of some columns, still without series.
LineChart empty_chart(const ResultTable& table, const std::vector<size_t>& columns,
                      const std::string& title) {
  LineChart chart{.title = display_name(title),
                  .subtitle = display_name(table.title),
                  .x = {},
                  .y = {.title = chart_unit(table)}};
  chart.mark_note = most_runs(table) > 1
                        ? fmt::format("mean ± deviation, {} seeds", most_runs(table))
                        : "one seed";
  for (const auto& row : table.cells) {
    for (const auto column : columns) {
      if (row.at(column).paper) chart.reference_note = "in the paper";
    }
  }
  return chart;
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
  auto chart = empty_chart(table, {column}, table.columns[column].title);
  chart.x.title = display_name(result.axis);
  std::set<double> xs;
  for (const auto& row : table.rows) {
    if (!row.series.empty()) xs.insert(row.x);
  }
  const std::vector<double> ascending(xs.begin(), xs.end());
  const auto places = spread_places(ascending);
  std::map<double, double> place_of;
  for (size_t i = 0; i < ascending.size(); ++i) {
    place_of[ascending[i]] = places[i];
    chart.x.ticks.push_back({places[i], plain_number(ascending[i])});
  }
  std::map<std::string, size_t> curves;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const auto& series = table.rows[row].series;
    if (series.empty()) continue;
    const auto [place, added] = curves.try_emplace(series, chart.series.size());
    if (added) chart.series.push_back({display_name(series), {}});
    auto point = chart_point(table, row, column, place_of.at(table.rows[row].x));
    point.label = fmt::format("{} {}", plain_number(table.rows[row].x), point.label);
    chart.series[place->second].points.push_back(std::move(point));
  }
  for (auto& curve : chart.series) {
    std::stable_sort(curve.points.begin(), curve.points.end(),
                     [](const auto& a, const auto& b) { return a.x < b.x; });
  }
  chart.dodge = kDodgeOfCurves;
  return chart;
}

/// A series for each method, with a point at each tick of the axis, which are those of `columns`.
LineChart methods_chart(const ResultTable& table, const std::vector<size_t>& columns,
                        const std::string& title, ChartAxis axis) {
  auto chart = empty_chart(table, columns, title);
  chart.x = std::move(axis);
  for (size_t row = 0; row < table.rows.size(); ++row) {
    ChartSeries series{display_name(table.rows[row].title), {}};
    for (size_t i = 0; i < columns.size(); ++i) {
      series.points.push_back(chart_point(table, row, columns[i], chart.x.ticks[i].at));
    }
    chart.series.push_back(std::move(series));
  }
  chart.dodge = kDodgeOfCurves;
  return chart;
}

/// Datasets side by side: their order means nothing, so no lines connect them.
LineChart datasets_chart(const ResultTable& table, const std::vector<size_t>& columns,
                         const std::string& title) {
  ChartAxis axis;
  axis.range = {-0.5, static_cast<double>(columns.size()) - 0.5};
  for (size_t i = 0; i < columns.size(); ++i) {
    axis.ticks.push_back({static_cast<double>(i), display_name(table.columns[columns[i]].title)});
  }
  auto chart = methods_chart(table, columns, title, std::move(axis));
  for (auto& series : chart.series) series.line = false;
  chart.dodge = kDodgeOfDatasets;
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
                          to_svg(series_chart(result, table, number))});
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
                        to_svg(methods_chart(table, columns, dataset_title(first),
                                             condition_axis(table, columns)))});
  }
  if (single.empty()) return;
  const bool alone = single.size() == 1;
  const auto& column = table.columns[single.front()];
  const auto& title = alone ? column.title : result.title;
  pictures.push_back({chart_file(result, table, alone ? column.dataset : ""),
                      picture_title(title, table), to_svg(datasets_chart(table, single, title))});
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
