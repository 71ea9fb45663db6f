#pragma once

#include <string_view>

namespace projnce::kernel {

/// Instruction sets that the kernels are compiled for; each includes the previous ones.
enum class Isa { kPlain, kAvx2, kAvx512 };

/// Returns the best instruction set that this CPU and its operating system support.
Isa best_isa();

/// Returns the instruction set in use: best_isa() unless overridden by a ForcedIsa.
Isa active_isa();

std::string_view isa_name(Isa isa);

/// Parses the name of an instruction set; throws if it is unknown.
Isa parse_isa(std::string_view name);

/// Makes kernels use `isa` during its lifetime, for tests and benchmarks. The setting is
/// process-wide: do not construct or destroy it while kernels run. Throws if the CPU does not
/// support `isa`.
class ForcedIsa {
 public:
  explicit ForcedIsa(Isa isa);
  ~ForcedIsa();
  ForcedIsa(const ForcedIsa&) = delete;
  ForcedIsa& operator=(const ForcedIsa&) = delete;

 private:
  Isa before_;
};

}  // namespace projnce::kernel
