#pragma once

#include <cstdint>

namespace projnce {

/// Weights of one point's neighbours: proportional to e^{-b d}, sum 1, with b such that their
/// entropy is log(perplexity), to 1e-7. Where no b reaches that, as among equal neighbours, those
/// of the nearest b that does best: never a number that is not finite. squared_distances is
/// [count]; finite, not negative. 1 <= perplexity <= count.
void fit_perplexity(const double* squared_distances, int64_t count, double perplexity,
                    double* weights);

}  // namespace projnce
