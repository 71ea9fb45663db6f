#pragma once

/// One body, several instruction sets, chosen when the program starts. Sources that use it are
/// compiled without contraction to fused multiply-add, so that the choice does not change a bit.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PROJNCE_CPU_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PROJNCE_CPU_CLONES
#endif
