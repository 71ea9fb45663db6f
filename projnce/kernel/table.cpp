#include "projnce/kernel/table.h"

#include <atomic>

namespace projnce::kernel {

namespace {

template <class T>
std::atomic<const KernelTable<T>*> forced_table = nullptr;

}  // namespace

template <class T>
const KernelTable<T>& kernels() {
  if (const auto* forced = forced_table<T>.load(std::memory_order_relaxed)) return *forced;
#if defined(__x86_64__)
  if (active_isa() == Isa::kAvx512) return avx512_kernels<T>();
  if (active_isa() == Isa::kAvx2) return avx2_kernels<T>();
#endif
  return plain_kernels<T>();
}

ForcedTables::ForcedTables(const KernelTable<float>& floats, const KernelTable<double>& doubles) {
  forced_table<float> = &floats;
  forced_table<double> = &doubles;
}

ForcedTables::~ForcedTables() {
  forced_table<float> = nullptr;
  forced_table<double> = nullptr;
}

template const KernelTable<float>& kernels<float>();
template const KernelTable<double>& kernels<double>();

}  // namespace projnce::kernel
