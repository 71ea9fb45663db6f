#include "tests/support/kernel_variants.h"

namespace projnce::testing {

std::vector<KernelVariant> kernel_variants() {
  std::vector<KernelVariant> variants;
  for (const auto isa : {Isa::kPlain, Isa::kAvx2, Isa::kAvx512}) {
    if (isa <= best_isa()) variants.push_back({std::string(isa_name(isa)), isa});
  }
#if defined(__x86_64__)
  if (best_isa() >= Isa::kAvx2) variants.push_back({"wide", Isa::kAvx2, /*wide=*/true});
#endif
  return variants;
}

}  // namespace projnce::testing
