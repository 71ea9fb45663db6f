#pragma once

#include <cstdint>
#include <vector>

namespace projnce {

/// Who belongs together in t-SNE: p_ij = (p_i|j + p_j|i) / 2N for pairs of which one is among the
/// other's nearest; symmetric, sums to 1, nothing on the diagonal. A sparse matrix by rows, laid
/// out for kernel/attraction_rows.h: partners rise, then each row is filled up with weights 0.
struct Affinities {
  std::vector<int64_t> starts;  // [N + 1]
  std::vector<int32_t> partners;
  std::vector<float> weights;

  int64_t points() const { return static_cast<int64_t>(starts.size()) - 1; }
};

/// Of rows [count, dim] by their Euclidean distances: each row's 3 * perplexity nearest, found
/// exactly, weighted so that they are as many as `perplexity` equal ones (perplexity.h).
/// REQUIRES: finite rows whose squares do not overflow; 1 <= perplexity <= (count - 1) / 3.
Affinities make_affinities(const float* rows, int64_t count, int64_t dim, double perplexity);

/// The same of points in another order: point order[i] is point i from now on.
Affinities reordered(const Affinities& affinities, const int32_t* order);

}  // namespace projnce
