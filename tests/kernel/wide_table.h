#pragma once

#include "projnce/kernel/table.h"

namespace projnce::testing {

/// Kernels that are as wide as AVX-512's but need no more than AVX2: they run its logic, with every
/// register split in two, on processors that lack it. T is float or double.
template <class T>
const KernelTable<T>& wide_kernels();

}  // namespace projnce::testing
