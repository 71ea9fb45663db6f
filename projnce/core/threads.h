#pragma once

namespace projnce {

/// Returns the number of cores that this process may run on.
int available_cores();

/// Sets the number of threads of LibTorch, OpenMP and BLAS; 0 means all available cores (LibTorch's
/// default is half of them). Returns the number set.
int set_threads(int threads);

}  // namespace projnce
