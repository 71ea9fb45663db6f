#include "tests/support/kernel_variants.h"

namespace projnce::testing {

void KernelVariantTest::SetUp() {
  const auto& variant = GetParam();
  if (variant.isa > kernel::best_isa()) {
    GTEST_SKIP() << "this CPU does not support " << kernel::isa_name(variant.isa);
  }
  use_.emplace(variant);
}

UseVariant::UseVariant(const KernelVariant& variant) : isa_(variant.isa) {
  if (variant.wide) wide_.emplace(wide_kernels<float>(), wide_kernels<double>());
}

std::vector<KernelVariant> kernel_variants() {
  return {{"plain", kernel::Isa::kPlain},
          {"avx2", kernel::Isa::kAvx2},
          {"avx512", kernel::Isa::kAvx512},
          {"wide", kernel::Isa::kAvx2, /*wide=*/true}};
}

std::vector<KernelVariant> available_variants() {
  auto variants = kernel_variants();
  std::erase_if(variants, [](const auto& variant) { return variant.isa > kernel::best_isa(); });
  return variants;
}

}  // namespace projnce::testing
