#include "projnce/kernel/make_table.h"

namespace projnce::kernel {

namespace {

/// Sixteen registers: twelve accumulators, two for the panel, one for the row.
struct Avx2 {
  static constexpr int kBytes = 32;
  static constexpr int kTileRows = 6;
  static constexpr int kPanelVectors = 2;
  static constexpr int kProductRows = 6;
  static constexpr int kProductBlocks = 1;
};

}  // namespace

template <class T>
const KernelTable<T>& avx2_kernels() {
  static constexpr KernelTable<T> table = make_table<Avx2, T>();
  return table;
}

template const KernelTable<float>& avx2_kernels<float>();
template const KernelTable<double>& avx2_kernels<double>();

}  // namespace projnce::kernel
