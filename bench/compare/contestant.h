#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace projnce::bench {

/// Cost and result of one run.
struct Run {
  double seconds = 0;
  double cpu_seconds = 0;                                           // total of all threads
  int64_t peak_bytes = 0;                                           // relative to the start
  double value = 0;                                                 // the loss, or another result
  double gradient_norm = std::numeric_limits<double>::quiet_NaN();  // NaN if there is no gradient
  double compile_seconds = 0;  // of torch.compile, not timed; 0 if not compiled
  int64_t graph_breaks = 0;    // of torch.compile
};

/// One of the compared implementations.
struct Contestant {
  std::string name;
  /// Contestants with the same text must agree in value and gradient.
  std::string computes;
  std::function<Run()> run = {};
  /// Reason if it cannot run, else empty.
  std::string unavailable = {};
};

enum class Clock {
  kWall,
  kCpu,  ///< total of all threads: for programs with different numbers of threads
};

/// One comparison of contestants on the same data. Ratios are relative to the first.
struct Case {
  std::string name;
  int64_t rows = 0;     // N
  int64_t classes = 0;  // C
  int64_t dims = 128;   // D
  std::string note = {};
  Clock clock = Clock::kWall;
  /// For contestants that take minutes: fewer rounds, and no warm-up.
  int round_limit = std::numeric_limits<int>::max();
  bool warm_up = true;
  /// Operations for the fractions of the machine's peak rates; 0: peak rates not measured.
  double flops = 0;
  /// Creates the data, which lives as long as the contestants.
  std::function<std::vector<Contestant>()> contestants = {};
};

}  // namespace projnce::bench
