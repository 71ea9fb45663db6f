#include "bench/training/neighbors.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace projnce::bench {

namespace {

/// Total CPU time of all processes since boot, in seconds; see proc(5).
double busy_seconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double waiting = 0;
  double interrupts = 0;
  double soft_interrupts = 0;
  double stolen = 0;
  file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >>
      stolen;
  const double ticks = user + nice + system + interrupts + soft_interrupts + stolen;
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

Neighbors::Neighbors() : busy_at_start_(busy_seconds()) {}

double Neighbors::share(double children_seconds) const {
  const double others = busy_seconds() - busy_at_start_ - watch_.cpu_seconds() - children_seconds;
  const auto cores = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  return std::max(0.0, others / (cores * watch_.seconds()));
}

}  // namespace projnce::bench
