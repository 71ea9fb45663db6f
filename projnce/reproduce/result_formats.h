#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "projnce/report/chart/chart_axis.h"
#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

/// CSV with a header and one line per run. Accuracies are fractions (unit "share"), mutual
/// information is in nats. `mean`, `deviation`, `paper` and `difference` belong to the cell of the
/// run; empty if missing.
std::string result_csv(const Result& result);

/// Complete result as JSON. Accuracies are fractions (unit "share"), mutual information is in nats;
/// null if missing or not finite. Images are referenced by file name.
nlohmann::ordered_json result_json(const Result& result);

/// Formats the result as Markdown: tables with the published values, and a list of all runs. Texts
/// of the result are escaped.
std::string result_markdown(const Result& result);

/// Formats the result as a self-contained HTML file with its charts. Links to the config.toml of
/// the runs are relative to `folder`, the location of the file.
std::string result_html(const Result& result, const std::filesystem::path& folder);

/// Formats the tables as aligned columns for a terminal.
std::string result_terminal(const Result& result);

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
