#include "projnce/report/build/report_writer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/core/version.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/page/report_html.h"
#include "projnce/report/page/run_data.h"

namespace projnce::report {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr size_t kComparedPoints = 20'000;  // total of all maps
constexpr size_t kFewestPoints = 1'000;     // per map
constexpr size_t kMostPoints = 5'000;
constexpr int kRefreshSeconds = 5;

/// Returns the last modification time of the files that the report uses.
fs::file_time_type last_change(const std::vector<fs::path>& runs) {
  auto newest = fs::file_time_type::min();
  for (const auto& path : runs) {
    const io::RunPaths run{path};
    for (const auto& file : {run.config(), run.metrics(), run.summary(), run.samples()}) {
      std::error_code absent;
      const auto changed = fs::last_write_time(file, absent);
      if (!absent) newest = std::max(newest, changed);
    }
  }
  return newest;
}

std::string utc_text(fs::file_time_type time) {
  const auto seconds =
      std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(time));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

/// Replaces ambiguous run names by their paths.
void make_names_unique(ordered_json& runs) {
  std::multiset<std::string> names;
  for (const auto& run : runs) names.insert(run["name"].get<std::string>());
  for (auto& run : runs) {
    if (names.count(run["name"].get<std::string>()) > 1) run["name"] = run["path"];
  }
}

/// Thread-safe report writer with a shared cache of defaults.
struct SharedWriter {
  std::mutex mutex;
  ReportWriter writer;

  nlohmann::ordered_json data(const ReportSource::Runs& runs) {
    const std::lock_guard lock(mutex);
    return writer.data(runs);
  }
};

}  // namespace

ordered_json ReportWriter::data(const std::vector<fs::path>& runs) {
  RunDataOptions options;
  if (runs.size() > 1) {
    options.images = false;
    options.most_points = std::clamp(kComparedPoints / runs.size(), kFewestPoints, kMostPoints);
  }
  auto entries = ordered_json::array();
  bool running = false;
  for (const auto& path : runs) {
    const auto run = io::find_run(path);
    options.standard = standard_.of(read_toml(run.config()));
    entries.push_back(run_data(run, options));
    running = running || entries.back()["state"] == "running";
  }
  make_names_unique(entries);
  const auto title = runs.size() == 1 ? entries[0]["name"].get<std::string>()
                                      : fmt::format("Comparison of {} runs", runs.size());
  return {{"format", 1},
          {"program", fmt::format("projnce {}", kVersion)},
          {"written", utc_text(last_change(runs))},
          {"title", title},
          {"refresh", running ? kRefreshSeconds : 0},
          {"runs", entries}};
}

size_t ReportWriter::write(const std::vector<fs::path>& runs, const fs::path& file) {
  const auto html = report_html(data(runs));
  io::write_file_atomically(file, html);
  return html.size();
}

LiveReport::LiveReport(std::filesystem::path run, Logger logger)
    : run_(std::move(run)), logger_(std::move(logger)), next_(Clock::now()) {}

void LiveReport::update() {
  constexpr std::chrono::seconds kPause{5};
  if (failed_ || Clock::now() < next_) return;
  try {
    writer_.write({run_}, io::RunPaths{run_}.report());
  } catch (const Error& error) {
    failed_ = true;
    logger_->warn("live report disabled: {}", error.what());
  }
  next_ = Clock::now() + kPause;
}

ReportSource make_report_source() {
  const auto shared = std::make_shared<SharedWriter>();
  return {
      .html = [shared](const ReportSource::Runs& runs) { return report_html(shared->data(runs)); },
      .data = [shared](const ReportSource::Runs& runs) { return report_json(shared->data(runs)); },
      .policy = report_policy() + "; frame-ancestors 'none'"};
}

}  // namespace projnce::report
