#include "projnce/reproduce/result_runs.h"

#include <map>
#include <tuple>

namespace projnce {

std::vector<RunNumbers> all_runs(const Result& result) {
  std::vector<RunNumbers> all;
  // Tables measure the same runs; in one table, two cells may come of one run as well.
  std::map<std::tuple<std::string, std::string, int64_t, std::filesystem::path>, size_t> places;
  for (size_t t = 0; t < result.tables.size(); ++t) {
    const auto& table = result.tables[t];
    for (size_t row = 0; row < table.rows.size(); ++row) {
      for (size_t column = 0; column < table.columns.size(); ++column) {
        for (const auto& run : table.cells.at(row).at(column).runs) {
          const auto& method = table.rows[row].title;
          const auto& title = table.columns[column].title;
          const auto [place, added] =
              places.try_emplace({method, title, run.seed, run.directory}, all.size());
          if (added) all.push_back({method, title, run.seed, run.directory, {}});
          auto& values = all[place->second].values;
          values.resize(result.tables.size());
          values[t] = run.value;
        }
      }
    }
  }
  return all;
}

std::string value_heading(const ResultTable& table) {
  return table.measure + (table.unit == ResultUnit::kPercent ? " (%)" : " (nats)");
}

}  // namespace projnce
