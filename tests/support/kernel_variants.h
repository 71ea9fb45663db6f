#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "projnce/kernel/isa.h"
#include "projnce/kernel/table.h"

namespace projnce::testing {

/// Kernels with the vector width and tiles of AVX-512, compiled to AVX2 instructions, so that this
/// code is tested on CPUs without AVX-512.
template <class T>
const kernel::KernelTable<T>& wide_kernels();

/// A variant of the kernels.
struct KernelVariant {
  std::string name;
  kernel::Isa isa;
  bool wide = false;
};

/// All variants, and those that this CPU supports.
std::vector<KernelVariant> kernel_variants();
std::vector<KernelVariant> available_variants();

/// Selects a variant for its lifetime. REQUIRES: this CPU supports it.
class UseVariant {
 public:
  explicit UseVariant(const KernelVariant& variant);

 private:
  kernel::ForcedIsa isa_;
  std::optional<kernel::ForcedTables> wide_;
};

/// Fixture of tests that run once per variant: TEST_P and INSTANTIATE_KERNEL_VARIANTS. Unsupported
/// variants are skipped.
class KernelVariantTest : public ::testing::TestWithParam<KernelVariant> {
 protected:
  void SetUp() override;

 private:
  std::optional<UseVariant> use_;
};

}  // namespace projnce::testing

#define INSTANTIATE_KERNEL_VARIANTS(fixture)                                           \
  INSTANTIATE_TEST_SUITE_P(Kernels, fixture,                                           \
                           ::testing::ValuesIn(::projnce::testing::kernel_variants()), \
                           [](const auto& test) { return test.param.name; })
