#include "projnce/kernel/make_table.h"
#include "tests/support/kernel_variants.h"

namespace projnce::testing {

namespace {

struct Wide {
  static constexpr int kBytes = 64;
  static constexpr int kTileRows = 8;
  static constexpr int kPanelVectors = 3;
  static constexpr int kProductRows = 6;
  static constexpr int kProductBlocks = 4;
};

}  // namespace

template <class T>
const kernel::KernelTable<T>& wide_kernels() {
  static constexpr kernel::KernelTable<T> table = kernel::make_table<Wide, T>();
  return table;
}

template const kernel::KernelTable<float>& wide_kernels<float>();
template const kernel::KernelTable<double>& wide_kernels<double>();

}  // namespace projnce::testing
