#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "projnce/kernel/isa.h"
#include "projnce/kernel/table.h"

namespace projnce::testing {

/// The vector code at the width of AVX-512 and with its tiles, but in instructions that every
/// processor with AVX2 has: what cannot run here natively is at least exercised.
template <class T>
const kernel::KernelTable<T>& wide_kernels();

/// A way to run the kernels.
struct KernelVariant {
  std::string name;
  kernel::Isa isa;
  bool wide = false;
};

/// All of them; and those that this processor can run.
std::vector<KernelVariant> kernel_variants();
std::vector<KernelVariant> available_variants();

/// Runs kernels as one that is available, for as long as it lives.
class UseVariant {
 public:
  explicit UseVariant(const KernelVariant& variant);

 private:
  kernel::ForcedIsa isa_;
  std::optional<kernel::ForcedTables> wide_;
};

/// A test that runs once for each way: TEST_P, and an INSTANTIATE_KERNEL_VARIANTS. What this
/// processor cannot run is skipped and says so.
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
