#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "bench/compare/contestant.h"
#include "bench/compare/labeled_rows.h"
#include "bench/compare/python_peers.h"
#include "tests/support/scratch_dir.h"

namespace projnce::bench {

struct CompareOptions {
  /// Names of cases; default: all.
  std::vector<std::string> cases = {};
  PythonPeersOptions peers = {};
  int rounds = 5;
  /// Number of threads of all contestants, including LibTorch and the peers; 0: all cores.
  int threads = 0;
  /// Overrides N of every case.
  std::vector<int64_t> rows = {};
  /// If true, also runs N x N forms at 16384 rows, which take 8 to 12 GB.
  bool large_peers = false;
  /// If true, also runs Mixed KSG at 10000 rows, which takes the authors' program minutes.
  bool full_ksg = false;
  std::filesystem::path json = {};
};

/// Environment of the contestants: options, peers, and files to pass data to them.
class Arena {
 public:
  explicit Arena(const CompareOptions& options) : options_(options), peers_(options.peers) {}

  const CompareOptions& options() const { return options_; }
  /// Returns the requested sizes, or those of the case.
  std::vector<int64_t> sizes(const std::vector<int64_t>& usual) const;

  /// Returns why a contestant with N x N matrices is skipped; empty if it is not.
  std::string too_large(int64_t rows) const;

  /// Returns a peer that reads `data` from files, with further parameters.
  Contestant peer(const std::string& name, const std::string& computes, const LabeledRows& data,
                  const nlohmann::json& parameters);

 private:
  CompareOptions options_;
  PythonPeers peers_;
  testing::ScratchDir scratch_;
};

}  // namespace projnce::bench
