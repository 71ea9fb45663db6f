#include "projnce/reproduce/result_csv.h"

#include <optional>

#include "projnce/report/csv.h"

namespace projnce {

namespace {

void add_optional(CsvRow& line, const std::optional<double>& number) {
  number ? line.number(*number) : line.nothing();
}

std::string run_line(const Result& result, const ResultTable& table, const ResultRow& row,
                     const ResultColumn& column, const ResultCell& cell, const ResultRun& run) {
  const double mean = mean_value(cell);
  CsvRow line;
  line.text(result.name).text(result.scale).text(table.measure).text(column.dataset);
  line.text(column.condition).text(row.method).whole(run.seed).number(run.value);
  line.text(table.unit == ResultUnit::kPercent ? "share" : "nats").number(mean);
  add_optional(line, deviation(cell));
  add_optional(line, cell.paper);
  add_optional(line, cell.paper ? std::optional(mean - *cell.paper) : std::nullopt);
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

}  // namespace projnce
