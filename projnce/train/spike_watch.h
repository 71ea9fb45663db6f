#pragma once

#include <cstdint>

namespace projnce {

/// Notices a loss far above those of the steps before it. A plain value: it travels in checkpoints.
struct SpikeWatch {
  double mean = 0;      ///< running, of the losses so far
  double variance = 0;  ///< running
  int64_t steps = 0;

  /// Whether `loss` is a spike among the losses before it; takes it in.
  bool see(double loss);
};

}  // namespace projnce
