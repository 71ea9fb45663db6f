#include "projnce/reproduce/result_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "projnce/io/printable.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Null where it is not finite.
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
  const double paper = cell.paper.value_or(kNone);
  ordered_json runs = ordered_json::array();
  for (const auto& run : cell.runs) {
    runs.push_back({{"seed", run.seed},
                    {"value", finite_number(run.value)},
                    {"directory", printable(run.directory.native())}});
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
  ordered_json pictures = ordered_json::array();
  for (const auto& picture : result.pictures) {
    pictures.push_back({{"file", picture.file}, {"title", picture.title}});
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
          {"pictures", pictures}};
}

}  // namespace projnce
