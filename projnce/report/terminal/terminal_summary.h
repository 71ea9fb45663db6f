#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace projnce::report {

/// What the reader's terminal can show. The default is for files and pipes.
struct TerminalStyle {
  bool colors = false;
  bool unicode = false;
  int width = 80;  ///< columns
};

/// What an environment variable holds, or null: std::getenv.
using EnvironmentLookup = std::function<const char*(const char*)>;

/// The style of an open file: plain where it is no terminal, or TERM says that it can do nothing.
/// NO_COLOR, where it is not empty, takes the colors; other characters than ASCII need a locale
/// with UTF-8.
TerminalStyle terminal_style(int file, const EnvironmentLookup& environment);

/// The values as a row of block characters (U+2581 to U+2588), at most `width` of them, from the
/// smallest value to the largest. Of more values each character is a mean over some of them.
/// What is not finite is a gap; values that are all the same stand in the middle. Empty where no
/// value is finite.
std::string sparkline(std::span<const double> values, int width);

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

}  // namespace projnce::report
