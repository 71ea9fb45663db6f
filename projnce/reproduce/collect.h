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

/// Kendall's tau-b of two lists of equal length: 1 for the same order, -1 for the opposite order,
/// corrected for ties. Empty if all values of a list are equal.
std::optional<double> kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

/// Errors of cells without a finished run, by run directory.
using CellErrors = std::map<std::filesystem::path, std::string>;

/// Collects the finished runs into tables with the published values. Cells without a finished run
/// have no value.
Result collect_result(const Experiment& experiment, const Scale& scale,
                      const std::vector<PaperDataset>& datasets, const std::vector<Cell>& cells,
                      const CellErrors& errors);

}  // namespace projnce::reproduce
