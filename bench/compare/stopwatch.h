#pragma once

#include <time.h>

#include <vector>

namespace projnce::bench {

/// Wall and CPU time since construction.
class Stopwatch {
 public:
  double seconds() const { return now(CLOCK_MONOTONIC) - start_; }
  double cpu_seconds() const { return now(CLOCK_PROCESS_CPUTIME_ID) - cpu_start_; }

 private:
  static double now(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double start_ = now(CLOCK_MONOTONIC);
  double cpu_start_ = now(CLOCK_PROCESS_CPUTIME_ID);
};

/// Returns the median; NaN if there are no values.
double median(std::vector<double> values);

}  // namespace projnce::bench
