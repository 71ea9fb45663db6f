#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/report/terminal_style.h"

namespace projnce {

/// Values over the course of a run.
struct SummaryCurve {
  std::string name;
  std::vector<double> values = {};
  int digits = 3;  ///< behind the point
  std::string unit = {};
};

/// The curves of metrics.jsonl that tell how training went: the loss of each epoch, and, if they
/// were measured more than once, the certified bound on I(Z;C) of the test samples and the accuracy
/// by `protocol`. Lines that are no such thing are passed over; of no file, no curves.
std::vector<SummaryCurve> summary_curves(const std::filesystem::path& metrics,
                                         const std::string& protocol);

/// What training came to, for a person: accuracy by protocol, curves, information, time. `summary`
/// is that of summary.json; `report` says where report.html is, empty where there is none.
///
/// Each line begins with what it is about. Where the style is plain, the lines are made for grep:
/// `zero-shot 74.52 % (95 % interval 73.30 to 75.72)`, and a curve is its first and last value.
std::string terminal_summary(const nlohmann::ordered_json& summary,
                             const std::vector<SummaryCurve>& curves, const TerminalStyle& style,
                             const std::string& report = {});

}  // namespace projnce
