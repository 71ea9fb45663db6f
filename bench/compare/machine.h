#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace projnce::bench {

/// Sets the number of threads of LibTorch and of its BLAS, which has its own setting; 0: all cores.
/// Returns the number set.
int set_all_threads(int threads);

/// Describes the environment: CPU, threads, BLAS, LibTorch, load.
nlohmann::ordered_json describe_machine(int threads);

}  // namespace projnce::bench
