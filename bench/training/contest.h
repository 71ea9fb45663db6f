#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace projnce::bench {

/// What one turn of a rival took: `steps` steps together.
struct Turn {
  double seconds = 0;
  int64_t steps = 1;
  std::map<std::string, double> parts = {};  // seconds of each part of a step
  double value = 0;                          // the last loss; 0 where there is none
  double child_cpu_seconds = 0;              // of a process that did the work for us
};

/// One of those that are compared.
struct Rival {
  std::string name;
  std::function<Turn()> turn = {};
  std::string unavailable = {};  // why it does not take part; empty if it does
  std::string note = {};         // printed below the table
};

/// Rivals that do the same work, projnce last: ratios are to it.
struct Contest {
  std::string name;
  std::string title;
  int64_t samples = 0;  // in a step: an image with its views
  double flops = 0;     // of a step; 0 leaves the share of the peak out
  int rounds = 5;       // turns of each rival; each of them warms up by itself
  /// Makes data and models; they live as long as the rivals.
  std::function<std::vector<Rival>()> rivals = {};
};

/// Runs the rivals in turn and prints their table. Returns the same for machines to read.
nlohmann::ordered_json run_contest(const Contest& contest, int threads);

}  // namespace projnce::bench
