#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace projnce::bench {

/// Cost of one turn of a rival: total of `steps` steps.
struct Turn {
  double seconds = 0;
  int64_t steps = 1;
  std::map<std::string, double> parts = {};  // seconds by part of a step
  double value = 0;                          // last loss; 0 if there is none
  double child_cpu_seconds = 0;              // of a child process that did the work
};

/// One of the compared implementations.
struct Rival {
  std::string name;
  std::function<Turn()> turn = {};
  std::string unavailable = {};  // reason if it cannot run, else empty
  std::string note = {};         // printed below the table
};

/// Rivals that do the same work. projnce is last; ratios are relative to it.
struct Contest {
  std::string name;
  std::string title;
  int64_t samples = 0;  // per step; an image with its views is one sample
  double flops = 0;     // per step; 0: fraction of peak not shown
  int rounds = 5;       // turns of each rival, each with its own warm-up
  /// Creates data and models, which live as long as the rivals.
  std::function<std::vector<Rival>()> rivals = {};
};

/// Runs the rivals in alternation and prints a table. Returns the results as JSON.
nlohmann::ordered_json run_contest(const Contest& contest, int threads);

}  // namespace projnce::bench
