#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "bench/compare/python_peers.h"
#include "bench/training/contest.h"

namespace projnce::bench {

struct TrainingBenchOptions {
  std::vector<std::string> cases = {};  ///< default: all
  PythonPeersOptions peers = {};
  int threads = 2;
  int rounds = 5;
  std::string isa = "best";
  std::filesystem::path json = {};
  /// Folder that contains fashion-mnist; default: the program's search path.
  std::filesystem::path data = {};
};

/// Returns all contests. REQUIRES: `peers` outlives them.
std::vector<Contest> training_contests(const TrainingBenchOptions& options, PythonPeers& peers);

}  // namespace projnce::bench
