#pragma once

#include <span>
#include <string>
#include <vector>

#include "projnce/report/chart/chart_axis.h"
#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

/// The title up to its last comma: "CIFAR-10" of "CIFAR-10, 30 % wrong labels".
std::string dataset_title(const ResultColumn& column);

/// The x axis of a chart over conditions of one dataset, with a tick for each of `columns`.
/// Conditions that are amounts of one thing ("clean", "30 % wrong labels") are placed by amount,
/// others in equal steps in the order of the table.
report::ChartAxis condition_axis(const ResultTable& table, const std::vector<size_t>& columns);

/// Places in 0..1 for ascending values, far enough apart to be told from each other: by value; if
/// some are too close for that, by logarithm; if that does not help or is not possible, in equal
/// steps.
std::vector<double> spread_places(std::span<const double> ascending);

/// A chart for each thing that a table shows: curves over `x` if rows have a series, a chart for
/// each column; else curves over the conditions of a dataset that has several; all other columns
/// side by side in one chart. Columns without a number are left out.
std::vector<ResultImage> result_charts(const Result& result);

}  // namespace projnce::reproduce
