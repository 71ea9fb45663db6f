#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/compare/contestant.h"

namespace projnce::bench {

/// What a contestant came to, over all of its turns.
struct Result {
  Contestant contestant;
  std::vector<double> turns = {};  // seconds, on the clock of the case
  Run last = {};                   // its value and gradient
  int64_t peak_bytes = 0;

  bool available() const { return contestant.unavailable.empty(); }
  double seconds() const;  // the median turn
};

struct RoofRates {
  double fma = 0;   // operations in a second
  double gemm = 0;  // likewise, of LibTorch's matrix product
};

struct CaseResult {
  Case task;
  std::vector<Result> results;
  std::optional<RoofRates> roofs = {};
  /// Sentences about contestants that failed or differ in what they compute.
  std::vector<std::string> problems = {};
};

/// Rounds in which every contestant has one turn. A turn repeats short runs for half a second
/// and keeps their median.
CaseResult run_case(const Case& task, int rounds, int threads);

}  // namespace projnce::bench
