#pragma once

#include <omp.h>

#include <cstdint>

namespace projnce {

/// The most threads that run_rounds and parallel loops will use.
inline int kernel_threads() {
  return omp_get_max_threads();
}

/// Calls work(pair, thread) for every pair of the schedule, a round at a time on all threads.
/// `work` must not throw: memory is got beforehand.
template <class Schedule, class Work>
void run_rounds(const Schedule& schedule, const Work& work) {
  const int64_t rounds = schedule.rounds();
#pragma omp parallel if (schedule.pairs(0) > 1)
  for (int64_t round = 0; round < rounds; ++round) {
    const int64_t pairs = schedule.pairs(round);
#pragma omp for schedule(dynamic, 1)
    for (int64_t k = 0; k < pairs; ++k) work(schedule.pair(round, k), omp_get_thread_num());
  }
}

}  // namespace projnce
