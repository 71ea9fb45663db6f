#include "projnce/kernel/make_table.h"

namespace projnce::kernel {

namespace {

/// Sixteen registers of 16 bytes, available on every 64-bit x86 and ARM CPU.
struct Plain {
  static constexpr int kBytes = 16;
  static constexpr int kTileRows = 6;
  static constexpr int kPanelVectors = 2;
  static constexpr int kProductRows = 3;
  static constexpr int kProductBlocks = 1;
};

}  // namespace

template <class T>
const KernelTable<T>& plain_kernels() {
  static constexpr KernelTable<T> table = make_table<Plain, T>();
  return table;
}

template const KernelTable<float>& plain_kernels<float>();
template const KernelTable<double>& plain_kernels<double>();

}  // namespace projnce::kernel
