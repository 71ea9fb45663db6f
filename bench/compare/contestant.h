#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace projnce::bench {

/// What one run took and what came out of it.
struct Run {
  double seconds = 0;
  double cpu_seconds = 0;  // of all threads together
  int64_t peak_bytes = 0;  // above what was held at the start
  double value = 0;        // the loss, or what else the contestant computes
  double gradient_norm = std::numeric_limits<double>::quiet_NaN();  // NaN: has no gradient
  double compile_seconds = 0;  // of torch.compile, before anything was timed; 0: not compiled
  int64_t graph_breaks = 0;    // places at which torch.compile returns to Python
};

/// One of those that are compared.
struct Contestant {
  std::string name;
  /// Contestants that compute the same must agree in value and gradient.
  std::string computes;
  std::function<Run()> run = {};
  /// Why it does not take part; empty if it does.
  std::string unavailable = {};
};

enum class Clock {
  kWall,
  kCpu,  ///< of all threads: for programs with different numbers of them
};

/// One comparison: contestants on the same data. Ratios are to the first of them.
struct Case {
  std::string name;
  int64_t rows = 0;     // N
  int64_t classes = 0;  // C
  int64_t dims = 128;   // D
  std::string note = {};
  Clock clock = Clock::kWall;
  /// For contestants of minutes: fewer rounds than asked for, and none to warm up.
  int round_limit = std::numeric_limits<int>::max();
  bool warm_up = true;
  /// Operations that the shares of the machine's roofs count; 0 leaves the roofs out.
  double flops = 0;
  /// Makes the data; it lives as long as the contestants.
  std::function<std::vector<Contestant>()> contestants = {};
};

}  // namespace projnce::bench
