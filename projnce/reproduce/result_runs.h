#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projnce/reproduce/result.h"

namespace projnce {

/// A training, with what every table of the result has of it.
struct RunNumbers {
  std::string method;  ///< titles, for people
  std::string column;
  int64_t seed = 0;
  std::filesystem::path directory;
  std::vector<std::optional<double>> values;  ///< by table
};

/// All runs of the result, each once, in the order of the tables.
std::vector<RunNumbers> all_runs(const Result& result);

/// What a table's numbers are called in a list of runs: "centroid (%)", "information (nats)".
std::string value_heading(const ResultTable& table);

}  // namespace projnce
