#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "projnce/config/default_config.h"
#include "projnce/core/logging.h"
#include "projnce/report/server/run_server.h"

namespace projnce::report {

/// Reports of runs, out of the files in their directories.
class ReportWriter {
 public:
  /// What a report of these runs shows: PageData of web/src/model.ts. Several are compared: with
  /// fewer points on each map, and without images.
  nlohmann::ordered_json data(const std::vector<std::filesystem::path>& runs);

  /// Writes the report, whole or not at all. Returns its size in bytes.
  size_t write(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& file);

 private:
  config::DefaultConfig standard_;
};

/// report.html of a run that goes on, written anew every few seconds; it asks the browser to look
/// again. A report that cannot be written costs a warning, once.
class LiveReport {
 public:
  LiveReport(std::filesystem::path run, Logger logger);

  /// To be called often.
  void update();

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path run_;
  Logger logger_;
  ReportWriter writer_;
  Clock::time_point next_;
  bool failed_ = false;
};

/// The reports that `projnce serve` shows.
ReportSource make_report_source();

}  // namespace projnce::report
