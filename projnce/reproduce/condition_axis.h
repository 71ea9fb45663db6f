#pragma once

#include <string>
#include <vector>

#include "projnce/reproduce/line_chart.h"
#include "projnce/reproduce/result.h"

namespace projnce {

/// The lower axis of a chart over the conditions of one dataset.
struct ConditionAxis {
  std::string title;             ///< what all conditions share; "" where that is nothing
  std::vector<ChartStop> stops;  ///< from left to right
  std::vector<size_t> columns;   ///< the table's, by stop
};

/// The title up to its last comma: "CIFAR-10" of "CIFAR-10, 30 % wrong labels".
std::string dataset_title(const ResultColumn& column);

/// Conditions that are numbers of one thing ("clean", "30 % wrong labels") stand by their number,
/// others in equal steps in the order of the table. `columns` are those of the dataset.
ConditionAxis condition_axis(const ResultTable& table, const std::vector<size_t>& columns);

}  // namespace projnce
