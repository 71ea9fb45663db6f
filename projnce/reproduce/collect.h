#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "projnce/reproduce/cells.h"
#include "projnce/reproduce/experiment.h"
#include "projnce/reproduce/paper_datasets.h"
#include "projnce/reproduce/result.h"
#include "projnce/reproduce/scale.h"

namespace projnce {

/// Why cells have no finished run, by the run's directory.
using CellComplaints = std::map<std::filesystem::path, std::string>;

/// Reads the finished runs into tables, the paper's numbers beside them. A cell without a finished
/// run stays without a number.
Result collect_result(const Experiment& experiment, const Scale& scale,
                      const std::vector<PaperDataset>& datasets, const std::vector<Cell>& cells,
                      const CellComplaints& complaints);

}  // namespace projnce
