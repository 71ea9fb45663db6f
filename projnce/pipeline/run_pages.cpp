#include "projnce/pipeline/run_pages.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "projnce/core/toml.h"
#include "projnce/core/version.h"
#include "projnce/io/atomic_file.h"
#include "projnce/pipeline/run_directory.h"
#include "projnce/report/page.h"
#include "projnce/report/run_data.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr size_t kComparedPoints = 20'000;  // of all maps together
constexpr size_t kFewestPoints = 1'000;     // of a map
constexpr size_t kMostPoints = 5'000;
constexpr int kRefreshSeconds = 5;

/// When the newest of the files changed that the page is made of.
fs::file_time_type last_change(const std::vector<fs::path>& runs) {
  auto newest = fs::file_time_type::min();
  for (const auto& path : runs) {
    const RunPaths run{path};
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

/// No two runs of a page have the same name: those that would are called by their path.
void make_names_differ(ordered_json& runs) {
  std::multiset<std::string> names;
  for (const auto& run : runs) names.insert(run["name"].get<std::string>());
  for (auto& run : runs) {
    if (names.count(run["name"].get<std::string>()) > 1) run["name"] = run["path"];
  }
}

}  // namespace

ordered_json RunPages::data(const std::vector<fs::path>& runs) {
  RunDataOptions options;
  if (runs.size() > 1) {
    options.pictures = false;
    options.most_points = std::clamp(kComparedPoints / runs.size(), kFewestPoints, kMostPoints);
  }
  auto told = ordered_json::array();
  bool running = false;
  for (const auto& path : runs) {
    const auto run = find_run(path);
    options.standard = standard_.of(read_toml(run.config()));
    told.push_back(run_data(run, options));
    running = running || told.back()["state"] == "running";
  }
  make_names_differ(told);
  const auto title = runs.size() == 1 ? told[0]["name"].get<std::string>()
                                      : fmt::format("{} runs compared", runs.size());
  return {{"format", 1},
          {"program", fmt::format("projnce {}", kVersion)},
          {"written", utc_text(last_change(runs))},
          {"title", title},
          {"refresh", running ? kRefreshSeconds : 0},
          {"runs", told}};
}

size_t RunPages::write(const std::vector<fs::path>& runs, const fs::path& file) {
  const auto page = page_html(data(runs));
  write_file_atomically(file, page);
  return page.size();
}

}  // namespace projnce
