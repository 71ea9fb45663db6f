#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace projnce::report {

/// A run and its name: the path relative to the folder of runs, such as `demo/supcon-1`.
struct ListedRun {
  std::string name;  ///< any bytes
  std::filesystem::path path;
};

/// Returns the runs in `root` and its direct subfolders, or `root` itself if it is a run; sorted by
/// name. Skips unreadable entries, symbolic links that lead out of `root`, and runs with such a
/// link. REQUIRES: `root` is canonical.
std::vector<ListedRun> find_runs(const std::filesystem::path& root);

enum class RunState {
  kFinished,
  kRunning,
  kStopped,
  kUnfinished,  ///< owned by another host; running or stopped
};

/// A run in the list. Fields of missing or unreadable files keep their defaults.
struct RunSummary {
  std::string name;
  std::string dataset;
  std::string loss;
  std::string encoder;
  RunState state = RunState::kUnfinished;
  int64_t epoch = 0;   ///< last epoch with metrics, from 1; 0 if none
  int64_t epochs = 0;  ///< planned epochs; 0 if unknown
  /// Accuracy of the delivered model in 0..1; for an unfinished run, the last one measured.
  std::optional<double> accuracy = std::nullopt;
  int64_t changed = 0;  ///< last modification, Unix time in seconds
};

RunSummary read_run_summary(const ListedRun& run);

/// Encodes a name for URLs and forms: percent-encoding, except for slashes.
std::string run_key(std::string_view name);

/// Returns the path of the run's report on the server: "/run/demo/supcon-1/".
std::string run_address(std::string_view name);

/// Returns the list of runs as HTML, most recently modified first, with checkboxes to compare runs.
/// `folder` is the folder of runs.
std::string run_index_html(std::vector<RunSummary> runs, std::string_view folder);

/// Returns a message with a link to the list.
std::string message_html(std::string_view title, std::string_view message);

}  // namespace projnce::report
