#pragma once

#include <string>

namespace projnce::bench {

/// The widest instructions of this processor that multiply and add: "AVX-512", "AVX2" or "plain".
std::string fma_instructions();

/// Multiplies and adds in registers on every thread, without a load or a store: what the arithmetic
/// units can do at most. Returns the number of floating point operations done.
double run_fma_chains(int threads);

}  // namespace projnce::bench
