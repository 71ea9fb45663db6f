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
  int threads = 0;  ///< 0: all cores
};

/// How fast losses are here, forward and backward on random unit rows in float32, beside LibTorch's
/// own matrix product: {threads, instructions, gemm_gflops, losses: [{loss, rows, milliseconds,
/// gflops}], engine, native, training: [{encoder, batch, torch_ms, native_ms, gain}]}. gflops
/// counts 4 N^2 D operations and is given for losses over all pairs alone. `engine` says what the
/// encoders' engine "auto" is here, and `training` what whole steps of two views take with
/// LibTorch's convolutions and, where `native` is true, with our own, in turn. Each time is the
/// median of a few runs; some seconds in all.
nlohmann::ordered_json measure_machine(const MeasureRequest& request);

}  // namespace projnce::app
