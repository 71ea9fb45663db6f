#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace projnce::distributed {

struct LaunchPlan {
  std::filesystem::path program;
  std::vector<std::string> arguments;          ///< without the program's name
  std::vector<std::string> restart_arguments;  ///< instead of them after a failure
  int ranks = 2;
  int max_restarts = 3;
  std::function<void(const std::string&)> say;  ///< takes sentences about what happens
};

/// Starts the program once for each rank on this host, with RANK, WORLD_SIZE, LOCAL_RANK,
/// LOCAL_WORLD_SIZE, PROJNCE_STORE_FILE, PROJNCE_LAUNCH_DIR and PROJNCE_RESTART_COUNT in its
/// environment (join_ranks.h reads them). Returns the exit status of the whole:
///
/// - 0 when all ranks ended with 0;
/// - when a rank fails, the others get a moment to notice it, are killed, and all start again, up
///   to `max_restarts` times; then 1;
/// - 2, for wrong input, is not tried again;
/// - SIGINT and SIGTERM are passed on, a second one kills; then the ranks' own status, or 128 + the
///   signal.
///
/// Ranks die with the launcher. Rank 0 has the launcher's standard output, the others none.
/// The launcher's own signals are caught while it runs: at most one at a time.
int launch(const LaunchPlan& plan);

}  // namespace projnce::distributed
