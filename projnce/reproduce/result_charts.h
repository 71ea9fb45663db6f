#pragma once

#include <span>
#include <string>
#include <vector>

#include "projnce/report/chart/chart_axis.h"
#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

/// Title up to its last comma: "CIFAR-10" of "CIFAR-10, 30 % wrong labels".
std::string dataset_title(const ResultColumn& column);

/// x axis of a chart over the conditions of one dataset, with one tick per column. Conditions that
/// are amounts of the same thing ("clean", "30 % wrong labels") are placed by amount, others
/// equidistant in the order of the table.
report::ChartAxis condition_axis(const ResultTable& table, const std::vector<size_t>& columns);

/// Positions in [0, 1] for ascending values: linear; if some are too close, logarithmic; if that
/// does not help or is not possible, equidistant.
std::vector<double> spread_places(std::span<const double> ascending);

/// Draws the charts of all tables. If rows have a series: curves over `x`, one chart per column.
/// Otherwise: curves over the conditions of each dataset with several, and one chart with the other
/// columns side by side. Skips columns without values.
std::vector<ResultImage> result_charts(const Result& result);

}  // namespace projnce::reproduce
