#include "projnce/kernel/table.h"

namespace projnce {

template <class T>
const KernelTable<T>& kernels() {
#if defined(__x86_64__)
  if (active_isa() == Isa::kAvx512) return avx512_kernels<T>();
  if (active_isa() == Isa::kAvx2) return avx2_kernels<T>();
#endif
  return plain_kernels<T>();
}

template const KernelTable<float>& kernels<float>();
template const KernelTable<double>& kernels<double>();

}  // namespace projnce
