#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "projnce/config/run_request.h"
#include "projnce/core/logging.h"
#include "projnce/report/server/run_server.h"

namespace projnce::report {

/// Writes reports from the files in run directories.
class ReportWriter {
 public:
  /// Returns the data of a report: PageData of web/src/model.ts. A comparison of several runs has
  /// fewer points per map and no images.
  nlohmann::ordered_json data(const std::vector<std::filesystem::path>& runs);

  /// Writes the report atomically. Returns its size in bytes.
  size_t write(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& file);

 private:
  config::DefaultConfig standard_;
};

/// report.html of an unfinished run, rewritten every few seconds; the page reloads itself. Logs one
/// warning if it cannot be written.
class LiveReport {
 public:
  LiveReport(std::filesystem::path run, Logger logger);

  /// Rewrites the report if it is due. Call often.
  void update();

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path run_;
  Logger logger_;
  ReportWriter writer_;
  Clock::time_point next_;
  bool failed_ = false;
};

/// Returns the reports served by `projnce serve`.
ReportSource make_report_source();

}  // namespace projnce::report
