#pragma once

#include <vector>

#include "projnce/reproduce/result.h"

namespace projnce {

/// A chart for each thing that a table shows: curves over `x` if rows have a series, a chart for
/// each column; else curves over the conditions of a dataset that has several; all other columns
/// side by side in one chart. Columns without a number are left out.
std::vector<ResultPicture> result_charts(const Result& result);

}  // namespace projnce
