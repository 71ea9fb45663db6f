#pragma once

#include <filesystem>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/reproduce/cells.h"
#include "projnce/reproduce/experiment.h"
#include "projnce/reproduce/result.h"

namespace projnce {

/// A t-SNE map of the test samples for each finished run of the experiment's map seed; `prefix`
/// starts the files' names.
std::vector<ResultPicture> figure_maps(const Experiment& experiment, const std::vector<Cell>& cells,
                                       const std::string& prefix, const Logger& logger);

}  // namespace projnce
