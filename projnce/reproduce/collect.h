#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "projnce/reproduce/cells.h"
#include "projnce/reproduce/experiment.h"
#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

/// Kendall's tau-b of two lists of equal length: 1 where they order alike, -1 where they order
/// oppositely, ties allowed for. None where either list has no two different values.
std::optional<double> kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

/// Why cells have no finished run, by the run's directory.
using CellErrors = std::map<std::filesystem::path, std::string>;

/// Reads the finished runs into tables, the paper's numbers beside them. A cell without a finished
/// run stays without a number.
Result collect_result(const Experiment& experiment, const Scale& scale,
                      const std::vector<PaperDataset>& datasets, const std::vector<Cell>& cells,
                      const CellErrors& complaints);

}  // namespace projnce::reproduce
