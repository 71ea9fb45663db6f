#pragma once

#include <vector>

#include "projnce/reproduce/result.h"

namespace projnce {

/// A drawing for each thing that a table shows: curves over `x` where rows have a series, a picture
/// for each column; else curves over the conditions of a dataset that has several; the other
/// columns as panels of one picture, with a row for each method. Columns without a number are left
/// out.
std::vector<ResultPicture> result_charts(const Result& result);

}  // namespace projnce
