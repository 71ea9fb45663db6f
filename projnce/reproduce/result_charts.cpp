#include "projnce/reproduce/result_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "projnce/report/chart/canvas.h"
#include "projnce/report/chart/line_chart.h"
#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

namespace {

/// Text of a condition.
std::string condition_text(const ResultColumn& column) {
  const auto comma = column.title.rfind(", ");
  if (comma != column.title.npos) return column.title.substr(comma + 2);
  return column.condition.empty() ? column.title : column.condition;
}

/// Parts of "30 % wrong labels".
struct ConditionAmount {
  double number = 0;
  std::string counted;  ///< "30 %"
  std::string of;       ///< "wrong labels"; "" for "clean"
};

std::optional<ConditionAmount> parse_amount(const std::string& words) {
  if (words == "clean") return ConditionAmount{.number = 0, .counted = words, .of = {}};
  ConditionAmount parts;
  const auto* end = words.data() + words.size();
  const auto parsed = std::from_chars(words.data(), end, parts.number);
  if (parsed.ec != std::errc()) return std::nullopt;
  std::string_view rest(parsed.ptr, static_cast<size_t>(end - parsed.ptr));
  if (rest.starts_with(" %")) rest.remove_prefix(2);
  parts.counted = words.substr(0, words.size() - rest.size());
  parts.of = rest.substr(std::min(rest.size(), rest.find_first_not_of(' ')));
  return parts;
}

struct ConditionAmounts {
  std::vector<ConditionAmount> all;
  std::string of;
};

/// Parses all conditions; empty unless they are increasing amounts of the same thing.
std::optional<ConditionAmounts> parse_amounts(const std::vector<std::string>& words) {
  ConditionAmounts conditions;
  for (const auto& one : words) {
    const auto parts = parse_amount(one);
    if (!parts) return std::nullopt;
    if (conditions.of.empty()) conditions.of = parts->of;
    if (!parts->of.empty() && parts->of != conditions.of) return std::nullopt;
    if (!conditions.all.empty() && parts->number <= conditions.all.back().number) {
      return std::nullopt;
    }
    conditions.all.push_back(*parts);
  }
  return conditions;
}

constexpr double kMinGap = 0.07;  // fraction of the axis, about the width of a label

std::vector<double> rescale(std::vector<double> values) {
  const double low = values.front();
  const double extent = values.back() - low;
  for (auto& value : values) value = (value - low) / extent;
  return values;
}

bool is_crowded(const std::vector<double>& places) {
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i] - places[i - 1] < kMinGap) return true;
  }
  return false;
}

}  // namespace

std::string dataset_title(const ResultColumn& column) {
  return column.title.substr(0, column.title.rfind(", "));
}

report::ChartAxis condition_axis(const ResultTable& table, const std::vector<size_t>& columns) {
  std::vector<std::string> words;
  for (const auto column : columns) words.push_back(condition_text(table.columns.at(column)));
  const auto counted = parse_amounts(words);
  std::vector<double> numbers;
  for (size_t i = 0; i < words.size(); ++i) {
    numbers.push_back(counted ? counted->all[i].number : static_cast<double>(i));
  }
  const auto places = spread_places(numbers);
  report::ChartAxis axis{.title = counted ? report::display_name(counted->of) : ""};
  for (size_t i = 0; i < words.size(); ++i) {
    axis.ticks.push_back(
        {places[i], report::display_name(counted ? counted->all[i].counted : words[i])});
  }
  return axis;
}

std::vector<double> spread_places(std::span<const double> ascending) {
  if (ascending.size() == 1) return {0.5};
  const auto by_value = rescale({ascending.begin(), ascending.end()});
  if (!is_crowded(by_value)) return by_value;
  if (ascending.front() > 0) {
    std::vector<double> logarithms;
    for (const double value : ascending) logarithms.push_back(std::log(value));
    auto by_logarithm = rescale(std::move(logarithms));
    if (!is_crowded(by_logarithm)) return by_logarithm;
  }
  std::vector<double> steps;
  for (size_t i = 0; i < ascending.size(); ++i) {
    steps.push_back(static_cast<double>(i) / static_cast<double>(ascending.size() - 1));
  }
  return steps;
}

namespace {

constexpr double kCurveDodge = 0.1;
constexpr double kDatasetDodge = 0.7;

/// Replaces characters that are not portable in file names and URLs.
std::string sanitize_file_name(std::string_view text) {
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
  auto name = sanitize_file_name(result.name) + '-' + sanitize_file_name(table.measure);
  if (const auto part = sanitize_file_name(of); !part.empty()) name += '-' + part;
  return name + ".svg";
}

std::string chart_unit(const ResultTable& table) {
  return table.unit == ResultUnit::kPercent ? "percent" : "nats";
}

double chart_scale(const ResultTable& table) {
  return table.unit == ResultUnit::kPercent ? 100 : 1;
}

report::ChartPoint chart_point(const ResultTable& table, size_t row, size_t column, double x) {
  const auto& cell = table.cells.at(row).at(column);
  const double scale = chart_scale(table);
  report::ChartPoint point{.x = x};
  if (!cell.runs.empty()) {
    point.y = scale * mean_value(cell);
    point.error = scale * deviation(cell).value_or(0);
    point.label =
        report::display_name(table.columns.at(column).title) + ": " + mean_text(cell, table.unit);
  }
  if (cell.paper()) point.reference = scale * *cell.paper();
  return point;
}

bool column_has_numbers(const ResultTable& table, size_t column) {
  return std::any_of(table.cells.begin(), table.cells.end(), [&](const auto& row) {
    return !row.at(column).runs.empty() && std::isfinite(mean_value(row.at(column)));
  });
}

/// Chart of some columns, without series.
report::LineChart empty_chart(const ResultTable& table, const std::vector<size_t>& columns,
                              const std::string& title) {
  report::LineChart chart{.title = report::display_name(title),
                          .subtitle = report::display_name(table.title),
                          .x = {},
                          .y = {.title = chart_unit(table)}};
  chart.mark_note = most_runs(table) > 1
                        ? fmt::format("mean ± standard deviation, {} seeds", most_runs(table))
                        : "one seed";
  for (const auto& row : table.cells) {
    for (const auto column : columns) {
      if (row.at(column).paper()) chart.reference_note = "in the paper";
    }
  }
  return chart;
}

/// Columns with values, grouped by dataset, in the order of the table.
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

/// Curves over `x` of the rows, for one column.
report::LineChart series_chart(const Result& result, const ResultTable& table, size_t column) {
  auto chart = empty_chart(table, {column}, table.columns[column].title);
  chart.x.title = report::display_name(result.axis);
  std::set<double> xs;
  for (const auto& row : table.rows) {
    if (!row.series.empty()) xs.insert(row.x);
  }
  const std::vector<double> ascending(xs.begin(), xs.end());
  const auto places = spread_places(ascending);
  std::map<double, double> place_of;
  for (size_t i = 0; i < ascending.size(); ++i) {
    place_of[ascending[i]] = places[i];
    chart.x.ticks.push_back({places[i], report::plain_number(ascending[i])});
  }
  std::map<std::string, size_t> curves;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const auto& series = table.rows[row].series;
    if (series.empty()) continue;
    const auto [place, added] = curves.try_emplace(series, chart.series.size());
    if (added) chart.series.push_back({report::display_name(series), {}});
    auto point = chart_point(table, row, column, place_of.at(table.rows[row].x));
    point.label = fmt::format("{} {}", report::plain_number(table.rows[row].x), point.label);
    chart.series[place->second].points.push_back(std::move(point));
  }
  for (auto& curve : chart.series) {
    std::stable_sort(curve.points.begin(), curve.points.end(),
                     [](const auto& a, const auto& b) { return a.x < b.x; });
  }
  chart.dodge = kCurveDodge;
  return chart;
}

/// One series per method, with one point per tick; ticks correspond to `columns`.
report::LineChart methods_chart(const ResultTable& table, const std::vector<size_t>& columns,
                                const std::string& title, report::ChartAxis axis) {
  auto chart = empty_chart(table, columns, title);
  chart.x = std::move(axis);
  for (size_t row = 0; row < table.rows.size(); ++row) {
    report::ChartSeries series{report::display_name(table.rows[row].title), {}};
    for (size_t i = 0; i < columns.size(); ++i) {
      series.points.push_back(chart_point(table, row, columns[i], chart.x.ticks[i].at));
    }
    chart.series.push_back(std::move(series));
  }
  chart.dodge = kCurveDodge;
  return chart;
}

/// Datasets side by side, without connecting lines because they have no order.
report::LineChart datasets_chart(const ResultTable& table, const std::vector<size_t>& columns,
                                 const std::string& title) {
  report::ChartAxis axis;
  axis.range = {-0.5, static_cast<double>(columns.size()) - 0.5};
  for (size_t i = 0; i < columns.size(); ++i) {
    axis.ticks.push_back(
        {static_cast<double>(i), report::display_name(table.columns[columns[i]].title)});
  }
  auto chart = methods_chart(table, columns, title, std::move(axis));
  for (auto& series : chart.series) series.line = false;
  chart.dodge = kDatasetDodge;
  return chart;
}

std::string image_title(const std::string& of, const ResultTable& table) {
  return of + ": " + table.title;
}

void add_series_charts(std::vector<ResultImage>& images, const Result& result,
                       const ResultTable& table) {
  for (const auto& columns : columns_by_dataset(table)) {
    for (const auto number : columns) {
      const auto& column = table.columns[number];
      const auto of = columns.size() > 1 ? column.dataset + '-' + column.condition : column.dataset;
      images.push_back({chart_file(result, table, of), image_title(column.title, table),
                        report::to_svg(series_chart(result, table, number))});
    }
  }
}

void add_dataset_charts(std::vector<ResultImage>& images, const Result& result,
                        const ResultTable& table) {
  std::vector<size_t> single;
  for (const auto& columns : columns_by_dataset(table)) {
    const auto& first = table.columns[columns.front()];
    if (columns.size() == 1) {
      single.push_back(columns.front());
      continue;
    }
    images.push_back({chart_file(result, table, first.dataset),
                      image_title(dataset_title(first), table),
                      report::to_svg(methods_chart(table, columns, dataset_title(first),
                                                   condition_axis(table, columns)))});
  }
  if (single.empty()) return;
  const bool alone = single.size() == 1;
  const auto& column = table.columns[single.front()];
  const auto& title = alone ? column.title : result.title;
  images.push_back({chart_file(result, table, alone ? column.dataset : ""),
                    image_title(title, table),
                    report::to_svg(datasets_chart(table, single, title))});
}

}  // namespace

std::vector<ResultImage> result_charts(const Result& result) {
  std::vector<ResultImage> images;
  for (const auto& table : result.tables) {
    const bool curves = std::any_of(table.rows.begin(), table.rows.end(),
                                    [](const auto& row) { return !row.series.empty(); });
    curves ? add_series_charts(images, result, table) : add_dataset_charts(images, result, table);
  }
  return images;
}

}  // namespace projnce::reproduce
