#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "projnce/kernel/isa.h"
#include "projnce/kernel/table.h"

namespace projnce::testing {

/// The vector code at the width of AVX-512 and with its tiles, but in instructions that every
/// processor with AVX2 has: what cannot run here natively is at least exercised.
template <class T>
const KernelTable<T>& wide_kernels();

/// A way to run the kernels.
struct KernelVariant {
  std::string name;
  Isa isa;
  bool wide = false;
};

/// A test that runs once for each way: TEST_P, and an INSTANTIATE_KERNEL_VARIANTS. What this
/// processor cannot run is skipped and says so.
class KernelVariantTest : public ::testing::TestWithParam<KernelVariant> {
 protected:
  void SetUp() override;

 private:
  std::optional<ForcedIsa> isa_;
  std::optional<ForcedTables> wide_;
};

std::vector<KernelVariant> kernel_variants();

}  // namespace projnce::testing

#define INSTANTIATE_KERNEL_VARIANTS(fixture)                                           \
  INSTANTIATE_TEST_SUITE_P(Kernels, fixture,                                           \
                           ::testing::ValuesIn(::projnce::testing::kernel_variants()), \
                           [](const auto& test) { return test.param.name; })
