#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace projnce::report {

/// A run and what it is called by: its path below the folder of runs, such as `demo/supcon-1`.
struct ListedRun {
  std::string name;  ///< any bytes
  std::filesystem::path path;
};

/// The runs in `root` and one folder further down, or `root` itself where it is a run; by name.
/// What leads out of `root` by a symbolic link is left out, as a whole run where one of its files
/// does. What cannot be read is left out. REQUIRES: `root` is canonical.
std::vector<ListedRun> find_runs(const std::filesystem::path& root);

enum class RunState {
  kFinished,
  kRunning,
  kStopped,
  kUnfinished,  ///< running or not: it is another host's
};

/// What a list says about a run. Of a file that is not there or cannot be read, nothing is known.
struct RunSummary {
  std::string name;
  std::string dataset;
  std::string loss;
  std::string encoder;
  RunState state = RunState::kUnfinished;
  int64_t epoch = 0;   ///< the last that was measured in, from 1; 0 for none
  int64_t epochs = 0;  ///< of the whole run; 0 where it is not known
  /// 0..1, of the delivered model; of an unfinished run, the last one measured.
  std::optional<double> accuracy = std::nullopt;
  int64_t changed = 0;  ///< seconds since 1970
};

RunSummary read_run_summary(const ListedRun& run);

/// A name of any bytes as text for addresses and forms: percent-encoded, but for slashes.
std::string run_key(std::string_view name);

/// Address of the run's report on the server: "/run/demo/supcon-1/".
std::string run_address(std::string_view name);

/// The list of runs as HTML, the last changed first, with a choice of some to compare. `folder` is
/// where they are.
std::string run_index_html(std::vector<RunSummary> runs, std::string_view folder);

/// A message with a link back to the list.
std::string message_html(std::string_view title, std::string_view message);

}  // namespace projnce::report
