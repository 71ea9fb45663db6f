#pragma once

#include "bench/compare/stopwatch.h"

namespace projnce::bench {

/// How busy others have kept the machine since this was made: figures from a machine with
/// neighbors are not those of an idle one.
class Neighbors {
 public:
  Neighbors();

  /// Their share of all cores, 0..1; what the host of a virtual machine kept for itself counts.
  /// `children_seconds`: processor time of this program's own helpers meanwhile.
  double share(double children_seconds) const;

 private:
  Stopwatch watch_;
  double busy_at_start_;
};

}  // namespace projnce::bench
