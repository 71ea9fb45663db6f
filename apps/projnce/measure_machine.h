#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace projnce::app {

struct MeasureRequest {
  static constexpr int64_t kMostRows = 1 << 20;

  std::vector<int64_t> rows = {512, 2048, 8192};  ///< batch sizes
  int64_t dim = 128;
  int64_t classes = 10;
  int threads = 0;  ///< 0: all available cores
};

/// Benchmarks losses and training steps on this machine; takes some seconds. Returns
///
///   {threads, instructions, gemm_gflops, losses: [{loss, rows, milliseconds, gflops}], engine,
///    native, training: [{encoder, batch, torch_ms, native_ms, gain}]}
///
/// - losses: forward and backward on random unit vectors in float32. gflops counts 4 N^2 D
///   operations; only present for losses over all pairs.
/// - engine: the engine that "auto" selects here; native: true if it is the native one.
/// - training: full steps with two views, with LibTorch's convolutions and, if `native`, with the
///   native ones, interleaved.
///
/// All times are medians.
nlohmann::ordered_json measure_machine(const MeasureRequest& request);

}  // namespace projnce::app
