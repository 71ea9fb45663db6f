#include "bench/compare/run_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <thread>

#include "bench/compare/machine_roofs.h"
#include "bench/compare/stopwatch.h"

namespace projnce::bench {

namespace {

constexpr double kTurnSeconds = 0.5;
constexpr int kRunsInTurn = 20;
/// Threads of the previous contestant, possibly in another process, spin before they sleep.
constexpr auto kPause = std::chrono::milliseconds(20);

/// Tolerance for float32 sums in different orders.
constexpr double kValueTolerance = 1e-4;
constexpr double kGradientTolerance = 1e-3;

void run_once(Result& result, std::vector<double>& times, Clock clock) {
  result.last = result.contestant.run();
  result.peak_bytes = std::max(result.peak_bytes, result.last.peak_bytes);
  times.push_back(clock == Clock::kCpu ? result.last.cpu_seconds : result.last.seconds);
}

void take_turn(Result& result, Clock clock) {
  std::this_thread::sleep_for(kPause);
  std::vector<double> times;
  const Stopwatch turn;
  do {
    run_once(result, times, clock);
  } while (turn.seconds() < kTurnSeconds && times.size() < kRunsInTurn);
  result.turns.push_back(median(times));
}

/// Disables a contestant that throws, and records the problem.
template <class Action>
void attempt(CaseResult& outcome, Result& result, Action&& action) {
  if (!result.available()) return;
  try {
    action();
  } catch (const std::exception& error) {
    const std::string message = error.what();
    result.contestant.unavailable = "failed: " + message.substr(0, message.find('\n'));
    outcome.problems.push_back(result.contestant.name + " " + result.contestant.unavailable);
  }
}

void warm_up(CaseResult& outcome) {
  for (auto& result : outcome.results) {
    attempt(outcome, result, [&] { result.contestant.run(); });
  }
}

bool differ(double a, double b, double tolerance) {
  if (std::isnan(a) && std::isnan(b)) return false;  // both are absent
  // Negated, so that a single NaN counts as different.
  return !(std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1e-6}));
}

void compare(const Result& a, const Result& b, std::vector<std::string>& problems) {
  const auto check = [&](const char* what, double of_a, double of_b, double tolerance) {
    if (!differ(of_a, of_b, tolerance)) return;
    problems.push_back(fmt::format("{} differs: {} has {:.8g}, {} has {:.8g}", what,
                                   a.contestant.name, of_a, b.contestant.name, of_b));
  };
  check("value", a.last.value, b.last.value, kValueTolerance);
  check("norm of the gradient", a.last.gradient_norm, b.last.gradient_norm, kGradientTolerance);
}

/// Compares each contestant with the first that computes the same.
void compare_results(CaseResult& outcome) {
  for (size_t i = 0; i < outcome.results.size(); ++i) {
    const auto& result = outcome.results[i];
    if (!result.available()) continue;
    const auto same = std::find_if(
        outcome.results.begin(), outcome.results.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const Result& earlier) {
          return earlier.available() && earlier.contestant.computes == result.contestant.computes;
        });
    if (same != outcome.results.begin() + static_cast<std::ptrdiff_t>(i)) {
      compare(*same, result, outcome.problems);
    }
  }
}

}  // namespace

double Result::seconds() const {
  return median(turns);
}

CaseResult run_case(const Case& task, int rounds, int threads) {
  CaseResult outcome{.task = task, .results = {}};
  for (auto& contestant : task.contestants()) outcome.results.push_back({std::move(contestant)});
  if (task.warm_up) warm_up(outcome);

  std::optional<MachineRoofs> roofs;
  if (task.flops > 0) roofs.emplace(threads);
  for (int round = 0; round < std::min(rounds, task.round_limit); ++round) {
    for (auto& result : outcome.results) {
      attempt(outcome, result, [&] { take_turn(result, task.clock); });
    }
    if (roofs) roofs->measure();
  }
  if (roofs) outcome.roofs = RoofRates{.fma = roofs->fma_rate(), .gemm = roofs->gemm_rate()};
  compare_results(outcome);
  return outcome;
}

}  // namespace projnce::bench
