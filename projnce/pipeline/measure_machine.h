#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace projnce {

struct MeasureRequest {
  std::vector<int64_t> rows = {512, 2048, 8192};  ///< batch sizes
  int64_t dim = 128;
  int64_t classes = 10;
  int threads = 0;  ///< 0: all cores
};

/// How fast losses are here, forward and backward on random unit rows in float32, beside LibTorch's
/// own matrix product: {threads, instructions, gemm_gflops, losses: [{loss, rows, milliseconds,
/// gflops}]}. gflops counts 4 N^2 D operations and is given for losses over all pairs alone. Each
/// time is the median of a few runs; a second or two in all.
nlohmann::ordered_json measure_machine(const MeasureRequest& request);

}  // namespace projnce
