#include "projnce/kernel/make_table.h"

namespace projnce::kernel {

namespace {

/// Thirty-two registers: twenty-four accumulators, three for the panel, one for the row.
struct Avx512 {
  static constexpr int kBytes = 64;
  static constexpr int kTileRows = 8;
  static constexpr int kPanelVectors = 3;
  static constexpr int kProductRows = 6;
  static constexpr int kProductBlocks = 4;
};

}  // namespace

template <class T>
const KernelTable<T>& avx512_kernels() {
  static constexpr KernelTable<T> table = make_table<Avx512, T>();
  return table;
}

template const KernelTable<float>& avx512_kernels<float>();
template const KernelTable<double>& avx512_kernels<double>();

}  // namespace projnce::kernel
