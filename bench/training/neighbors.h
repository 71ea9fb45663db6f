#pragma once

#include "bench/compare/stopwatch.h"

namespace projnce::bench {

/// Measures the CPU use of other processes since construction; timings on a busy machine are not
/// comparable with those on an idle one.
class Neighbors {
 public:
  Neighbors();

  /// Returns their fraction of all cores in 0..1, including steal time of a virtual machine.
  /// `children_seconds`: CPU time of this program's own child processes.
  double share(double children_seconds) const;

 private:
  Stopwatch watch_;
  double busy_at_start_;
};

}  // namespace projnce::bench
