#pragma once

#include <cstdint>
#include <vector>

namespace projnce::eval {

/// Weights of one point's neighbors: proportional to e^{-b d}, sum 1, with b such that their
/// entropy is log(perplexity), to 1e-7. Where no b reaches that, as among equal neighbors, those
/// of the nearest b that does best: never a number that is not finite. squared_distances is
/// [count]; finite, not negative. 1 <= perplexity <= count.
void fit_perplexity(const double* squared_distances, int64_t count, double perplexity,
                    double* weights);

/// Replaces the neighbors of rows that have more equal rows than neighbors.
///
/// A search breaks ties by index, so that all of the equal rows would share the same few neighbors,
/// and t-SNE would gather the others around them. Here each gets as many of the equal rows by
/// chance, and each is the neighbor of as many. rows is [count, dim]; distances and indices
/// [count, neighbors], the nearest first.
void mix_equal_rows(const float* rows, int64_t count, int64_t dim, int64_t neighbors,
                    const float* distances, int32_t* indices);

/// Who belongs together in t-SNE: p_ij = (p_i|j + p_j|i) / 2N for pairs of which one is among the
/// other's nearest; symmetric, sums to 1, nothing on the diagonal. A sparse matrix by rows, laid
/// out for kernel/map_forces.h: partners rise, then each row is filled up with weights 0.
struct Affinities {
  std::vector<int64_t> starts;  // [N + 1]
  std::vector<int32_t> partners;
  std::vector<float> weights;

  int64_t points() const { return static_cast<int64_t>(starts.size()) - 1; }
};

/// Of rows [count, dim] by their Euclidean distances: each row's 3 * perplexity nearest, found
/// exactly, weighted so that they are as many as `perplexity` equal ones.
/// REQUIRES: finite rows whose squares do not overflow; 1 <= perplexity <= (count - 1) / 3.
Affinities make_affinities(const float* rows, int64_t count, int64_t dim, double perplexity);

/// The same of points in another order: point order[i] is point i from now on.
Affinities reordered(const Affinities& affinities, const int32_t* order);

}  // namespace projnce::eval
