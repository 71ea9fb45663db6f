#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace projnce::distributed {

struct LaunchPlan {
  std::filesystem::path program;
  std::vector<std::string> arguments;          ///< without the program name
  std::vector<std::string> restart_arguments;  ///< replace `arguments` after a failure
  int ranks = 2;
  int max_restarts = 3;
  std::function<void(const std::string&)> log;  ///< receives messages about failures and restarts
};

/// Starts the program once per rank on this host, with RANK, WORLD_SIZE, LOCAL_RANK,
/// LOCAL_WORLD_SIZE, PROJNCE_STORE_FILE, PROJNCE_LAUNCH_DIR and PROJNCE_RESTART_COUNT in its
/// environment (read by join_ranks.h). Returns the exit status of the run:
///
/// - 0 if all ranks exit with 0;
/// - if a rank fails, the others get a grace period, are killed, and all ranks restart, up to
///   `max_restarts` times; after that, 1;
/// - 2 (invalid input) is returned without a restart;
/// - SIGINT and SIGTERM are forwarded to the ranks, a second signal kills them; the result is the
///   ranks' own status, or 128 + the signal number.
///
/// Ranks are killed if the launcher dies. Rank 0 inherits standard output; the output of the other
/// ranks is discarded. Signal handlers are process-wide, so only one launch may run at a time.
int launch(const LaunchPlan& plan);

}  // namespace projnce::distributed
