#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace projnce {

/// Progress of a long job on standard error: on a terminal a bar with rate and remaining time,
/// otherwise a line every few seconds.
class Progress {
 public:
  /// `unit` names the counted items: "samples" gives "1200 samples/s".
  Progress(std::string label, int64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Reports that `done` items are finished; `note` is appended to the numbers ("loss 3.21").
  void update(int64_t done, const std::string& note = {});

  /// Clears the bar, so that other output starts on an empty line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(int64_t done, const std::string& note, double seconds) const;

  std::string label_;
  int64_t total_;
  std::string unit_;
  int64_t first_done_ = -1;  // at the first update; excluded from the rate (resumed jobs)
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

/// Formats a duration: "42 s", "3 min 05 s", "2 h 10 min".
std::string format_duration(double seconds);

}  // namespace projnce
