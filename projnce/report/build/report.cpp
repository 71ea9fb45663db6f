#include "projnce/report/build/report.h"

#include <algorithm>

#include "projnce/core/error.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/build/report_builder.h"
#include "projnce/report/build/report_writer.h"

namespace projnce::report {

namespace {

namespace fs = std::filesystem;

/// Returns the runs at a path: the path itself, or the runs in it, sorted by name.
std::vector<fs::path> expand(const fs::path& path) {
  if (io::contains_run(path) || !fs::is_directory(path)) return {io::find_run(path).root};
  std::vector<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_directory() && io::contains_run(entry.path())) runs.push_back(entry.path());
  }
  if (runs.empty()) return {io::find_run(path).root};  // throws with the reason
  std::sort(runs.begin(), runs.end());
  return runs;
}

void make_report_data(const io::RunPaths& paths, const ReportRequest& request,
                      const Logger& logger) {
  const io::FileLock lock(paths.lock());
  logger->info("{}: computing map and audit", paths.root.string());
  const auto run = inference::open_trained_run(paths, {}, request.context);
  auto samples = inference::embed_test_split(run, logger);
  samples.reference = inference::embed_reference_split(run, logger);
  write_report_data({.paths = paths,
                     .data = run.data,
                     .samples = samples,
                     .reference = run.data.reference,
                     .trained = run.trained,
                     .threads = run.threads},
                    run.config.report, logger);
}

/// Computes missing report data of a finished run. Logs a warning on failure.
void complete_run(const fs::path& run, const ReportRequest& request, const Logger& logger) {
  const io::RunPaths paths{run};
  if (!fs::exists(paths.summary()) || fs::exists(paths.samples())) return;
  try {
    make_report_data(paths, request, logger);
  } catch (const Error& error) {
    logger->warn("{}: the report has no map, audit and images: {}", run.string(), error.what());
  }
}

fs::path report_file(const ReportRequest& request, const std::vector<fs::path>& runs) {
  if (!request.output.empty()) return request.output;
  if (runs.size() == 1) return io::RunPaths{runs.front()}.report();
  const auto folder = [](const fs::path& run) {
    return (run / "").lexically_normal().parent_path().parent_path();
  };
  const bool together = std::all_of(runs.begin(), runs.end(), [&](const fs::path& run) {
    return folder(run) == folder(runs.front());
  });
  return (together ? folder(runs.front()) : fs::path()) / "report.html";
}

}  // namespace

ReportResult report_runs(const ReportRequest& request, const Logger& logger) {
  std::vector<fs::path> runs;
  for (const auto& path : request.runs) {
    for (const auto& run : expand(path)) runs.push_back(run);
  }
  for (const auto& run : runs) complete_run(run, request, logger);
  const auto file = report_file(request, runs);
  const size_t bytes = ReportWriter().write(runs, file);
  return {.runs = runs.size(), .bytes = bytes, .file = file};
}

}  // namespace projnce::report
