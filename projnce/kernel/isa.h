#pragma once

#include <string_view>

namespace projnce::kernel {

/// The instruction sets that the kernels are compiled for; a later one includes those before it.
enum class Isa { kPlain, kAvx2, kAvx512 };

/// The best that this processor and its operating system offer.
Isa best_isa();

/// What kernels run with: best_isa() unless a ForcedIsa says otherwise.
Isa active_isa();

std::string_view isa_name(Isa isa);

/// The one of that name; throws where there is none.
Isa isa_named(std::string_view name);

/// Makes kernels run with `isa` for as long as it lives, for tests and measurements. It is one
/// setting for the whole process: not to be made or destroyed while kernels run.
/// Throws where the processor lacks the instructions.
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
