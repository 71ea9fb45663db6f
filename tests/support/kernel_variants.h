#pragma once

#include <memory>
#include <string>
#include <vector>

#include "projnce/kernel/isa.h"
#include "projnce/kernel/table.h"

namespace projnce::testing {

/// The vector code at the width of AVX-512 and with its tiles, but in instructions that every
/// processor with AVX2 has: what cannot run here natively is at least exercised.
template <class T>
const KernelTable<T>& wide_kernels();

/// A way to run the kernels on this machine.
struct KernelVariant {
  std::string name;
  Isa isa;
  bool wide = false;
};

/// Those that this processor can run: each instruction set, and the wide code.
std::vector<KernelVariant> kernel_variants();

/// Runs kernels as one of them for as long as it lives.
class UseVariant {
 public:
  explicit UseVariant(const KernelVariant& variant) : isa_(variant.isa) {
    if (!variant.wide) return;
    wide_ = std::make_unique<ForcedTables>(wide_kernels<float>(), wide_kernels<double>());
  }

 private:
  ForcedIsa isa_;
  std::unique_ptr<ForcedTables> wide_;
};

}  // namespace projnce::testing
