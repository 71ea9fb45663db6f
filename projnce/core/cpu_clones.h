#pragma once

/// Compiles a function for several instruction sets and selects one at program start. Sources that
/// use it are compiled without fused multiply-add contraction, so that results are bit-identical on
/// every instruction set.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PROJNCE_CPU_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PROJNCE_CPU_CLONES
#endif
