#include "projnce/core/threads.h"

#include <ATen/Parallel.h>
#include <sched.h>

#include <thread>

namespace projnce {

int available_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return CPU_COUNT(&cores);
  return static_cast<int>(std::thread::hardware_concurrency());
}

int set_threads(int threads) {
  if (threads <= 0) threads = available_cores();
  at::set_num_threads(threads);
  return threads;
}

}  // namespace projnce
