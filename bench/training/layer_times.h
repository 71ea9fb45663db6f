#pragma once

#include <nlohmann/json.hpp>

namespace projnce::bench {

/// Times the convolutions of ResNet-18 at 32x32 for each kind and shape: our kernels and LibTorch's
/// in channels-last, forward and both gradients. Prints a table and returns it as JSON.
nlohmann::ordered_json run_layer_times(int64_t images, int rounds, int threads);

}  // namespace projnce::bench
