#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/compare/contestant.h"

namespace projnce::bench {

/// Results of a contestant over all rounds.
struct Result {
  Contestant contestant;
  std::vector<double> turns = {};  // seconds of each round, on the clock of the case
  Run last = {};                   // for value and gradient
  int64_t peak_bytes = 0;

  bool available() const { return contestant.unavailable.empty(); }
  double seconds() const;  // median over rounds
};

struct RoofRates {
  double fma = 0;   // operations per second
  double gemm = 0;  // operations per second of LibTorch's matrix product
};

struct CaseResult {
  Case task;
  std::vector<Result> results;
  std::optional<RoofRates> roofs = {};
  /// Messages about contestants that failed or whose results differ.
  std::vector<std::string> problems = {};
};

/// Runs all contestants once per round. Short runs are repeated for half a second; their median
/// counts.
CaseResult run_case(const Case& task, int rounds, int threads);

}  // namespace projnce::bench
