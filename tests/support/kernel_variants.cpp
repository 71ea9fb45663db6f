#include "tests/support/kernel_variants.h"

namespace projnce::testing {

void KernelVariantTest::SetUp() {
  const auto& variant = GetParam();
  if (variant.isa > best_isa()) {
    GTEST_SKIP() << "this processor has no " << isa_name(variant.isa);
  }
  use_.emplace(variant);
}

UseVariant::UseVariant(const KernelVariant& variant) : isa_(variant.isa) {
  if (variant.wide) wide_.emplace(wide_kernels<float>(), wide_kernels<double>());
}

std::vector<KernelVariant> kernel_variants() {
  return {{"plain", Isa::kPlain},
          {"avx2", Isa::kAvx2},
          {"avx512", Isa::kAvx512},
          {"wide", Isa::kAvx2, /*wide=*/true}};
}

std::vector<KernelVariant> available_variants() {
  auto variants = kernel_variants();
  std::erase_if(variants, [](const auto& variant) { return variant.isa > best_isa(); });
  return variants;
}

}  // namespace projnce::testing
