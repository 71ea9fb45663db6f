#pragma once

#include "projnce/kernel/table.h"

namespace projnce::testing {

/// Kernels in registers as wide as those of AVX-512, put together by the compiler from instructions
/// of AVX2: what depends on the width is tested on processors that lack the real ones.
/// REQUIRES: best_isa() >= Isa::kAvx2
template <class T>
const KernelTable<T>& wide_kernels();

}  // namespace projnce::testing
