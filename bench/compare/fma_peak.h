#pragma once

#include <string>

namespace projnce::bench {

/// Widest FMA instruction set of this CPU: "AVX-512", "AVX2" or "plain".
std::string fma_instructions();

/// Runs FMA instructions on registers on every thread, without loads or stores, which is the peak
/// of the arithmetic units. Returns the number of floating-point operations.
double run_fma_chains(int threads);

}  // namespace projnce::bench
