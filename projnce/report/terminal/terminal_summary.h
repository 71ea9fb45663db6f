#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace projnce::report {

/// Capabilities of the terminal. The default is for files and pipes.
struct TerminalStyle {
  bool colors = false;
  bool unicode = false;
  int width = 80;  ///< columns
};

/// Returns the value of an environment variable, or null; such as std::getenv.
using EnvironmentLookup = std::function<const char*(const char*)>;

/// Returns the style for an open file: plain if it is not a terminal or TERM is "dumb". A non-empty
/// NO_COLOR disables colors; non-ASCII characters require a UTF-8 locale.
TerminalStyle terminal_style(int file, const EnvironmentLookup& environment);

/// Draws the values as at most `width` block characters (U+2581 to U+2588), scaled from minimum to
/// maximum. With more values than characters, each character is a mean of adjacent values.
/// Non-finite values are gaps; constant values are drawn at half height. Empty if no value is
/// finite.
std::string sparkline(std::span<const double> values, int width);

/// Values over the course of a run.
struct SummaryCurve {
  std::string name;
  std::vector<double> values = {};
  int digits = 3;  ///< decimal places
  std::string unit = {};
};

/// Reads curves from metrics.jsonl: the loss of each epoch, and, if they were measured more than
/// once, the certified bound on I(Z;C) on the test samples and the accuracy of `protocol`. Invalid
/// lines are skipped; a missing file has no curves.
std::vector<SummaryCurve> summary_curves(const std::filesystem::path& metrics,
                                         const std::string& protocol);

/// Formats the results of training for a terminal: accuracy by protocol, curves, mutual
/// information, time. `summary` is the contents of summary.json; `report` is the path of
/// report.html, or empty.
///
/// Each line starts with its topic. With the plain style, lines are suitable for grep:
/// `nearest-centroid 74.52 % (95 % interval 73.30 to 75.72)`, and a curve shows only its first and
/// last value.
std::string terminal_summary(const nlohmann::ordered_json& summary,
                             const std::vector<SummaryCurve>& curves, const TerminalStyle& style,
                             const std::string& report = {});

}  // namespace projnce::report
