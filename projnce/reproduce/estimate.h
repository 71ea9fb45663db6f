#pragma once

#include <vector>

#include "projnce/reproduce/cells.h"
#include "projnce/reproduce/paper_datasets.h"
#include "projnce/reproduce/train_cells.h"

namespace projnce {

/// How many seconds these cells will take, `pool.jobs` at a time. Trains a few steps on each
/// dataset and judges them as a cell is judged, in a folder that is thrown away: that measures this
/// machine as it is now.
double estimate_seconds(const std::vector<Cell>& cells, const std::vector<PaperDataset>& datasets,
                        CellPool pool);

}  // namespace projnce
