#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace projnce::bench {

/// Sets the threads of LibTorch and of its BLAS, which has a number of its own; 0 takes all cores.
/// Returns the number set.
int set_all_threads(int threads);

/// What figures depend on: processor, threads, the library of the matrix products, LibTorch, load.
nlohmann::ordered_json describe_machine(int threads);

}  // namespace projnce::bench
