#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace projnce {

/// How far a long job is, on standard error: a bar with rate and time left that redraws itself on a
/// terminal, a plain line every few seconds elsewhere.
class Progress {
 public:
  /// `unit` is what the rate counts: "samples" gives "1200 samples/s".
  Progress(std::string label, int64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of `total` are behind us; `note` follows the numbers ("loss 3.21").
  void update(int64_t done, const std::string& note = {});

  /// Removes the bar, so that other output starts on a clean line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(int64_t done, const std::string& note, double seconds) const;

  std::string label_;
  int64_t total_;
  std::string unit_;
  int64_t first_done_ = -1;  // the rate counts from the first update: resumed jobs start late
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

/// "42 s", "3 min 05 s", "2 h 10 min"
std::string format_duration(double seconds);

}  // namespace projnce
