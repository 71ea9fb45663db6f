#pragma once

namespace projnce {

/// The cores that this process may run on.
int available_cores();

/// Sets the threads of LibTorch, OpenMP and BLAS; 0 takes all available cores. LibTorch by itself
/// starts with half of them. Returns the number set.
int set_threads(int threads);

}  // namespace projnce
