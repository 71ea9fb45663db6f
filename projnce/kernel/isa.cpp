#include "projnce/kernel/isa.h"

#include <atomic>

#include "projnce/core/error.h"

namespace projnce::kernel {

namespace {

Isa detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return Isa::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Isa::kAvx2;
#endif
  return Isa::kPlain;
}

std::atomic<Isa>& setting() {
  static std::atomic<Isa> isa{best_isa()};
  return isa;
}

}  // namespace

Isa best_isa() {
  static const Isa best = detect();
  return best;
}

Isa active_isa() {
  return setting().load(std::memory_order_relaxed);
}

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kPlain:
      return "plain";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
  }
  return "unknown";
}

Isa parse_isa(std::string_view name) {
  for (const Isa isa : {Isa::kPlain, Isa::kAvx2, Isa::kAvx512}) {
    if (name == isa_name(isa)) return isa;
  }
  fail("unknown instruction set '", name, "', expected 'plain', 'avx2' or 'avx512'");
}

ForcedIsa::ForcedIsa(Isa isa) : before_(active_isa()) {
  if (isa > best_isa()) fail("this CPU does not support ", isa_name(isa));
  setting().store(isa, std::memory_order_relaxed);
}

ForcedIsa::~ForcedIsa() {
  setting().store(before_, std::memory_order_relaxed);
}

}  // namespace projnce::kernel
