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
  /// Names of cases; empty: all.
  std::vector<std::string> cases = {};
  PythonPeersOptions peers = {};
  int rounds = 5;
  /// Of all contestants, LibTorch's and the peers'; 0: all cores.
  int threads = 0;
  /// N of every case instead of its own.
  std::vector<int64_t> rows = {};
  /// Also N x N forms at 16384 rows, which take 8 to 12 GB.
  bool large_peers = false;
  /// Also Mixed KSG at 10000 rows, where the authors' program takes minutes.
  bool full_ksg = false;
  std::filesystem::path json = {};
};

/// Where contestants meet: the options, the peers, and files to pass data to them.
class Arena {
 public:
  explicit Arena(const CompareOptions& options) : options_(options), peers_(options.peers) {}

  const CompareOptions& options() const { return options_; }
  /// The sizes asked for, or the case's own.
  std::vector<int64_t> sizes(const std::vector<int64_t>& usual) const;

  /// Why a contestant that makes N x N matrices is left out; empty if it is not.
  std::string too_large(int64_t rows) const;

  /// A peer on `data`, which it reads from files, with further parameters.
  Contestant peer(const std::string& name, const std::string& computes, const LabeledRows& data,
                  const nlohmann::json& parameters);

 private:
  CompareOptions options_;
  PythonPeers peers_;
  testing::ScratchDir scratch_;
};

}  // namespace projnce::bench
