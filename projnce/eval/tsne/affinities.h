#pragma once

#include <cstdint>
#include <vector>

namespace projnce::eval {

/// Computes the weights of one point's neighbors: proportional to e^{-b d}, with sum 1 and b such
/// that their entropy is log(perplexity), to 1e-7. If no b reaches that, as for equal distances,
/// uses the best one; weights are always finite. REQUIRES: squared_distances [count] are finite and
/// not negative; 1 <= perplexity <= count.
void fit_perplexity(const double* squared_distances, int64_t count, double perplexity,
                    double* weights);

/// Replaces the neighbors of rows that have more duplicates than neighbors.
///
/// The search breaks ties by index, so all duplicates would share the same few neighbors, and t-SNE
/// would cluster them around these. Instead, each gets random duplicates as neighbors, such that
/// each is a neighbor equally often. rows is [count, dim]; distances and indices are [count,
/// neighbors], nearest first.
void mix_equal_rows(const float* rows, int64_t count, int64_t dim, int64_t neighbors,
                    const float* distances, int32_t* indices);

/// Affinities of t-SNE: p_ij = (p_i|j + p_j|i) / 2N for pairs of which one is among the nearest
/// neighbors of the other; symmetric, with sum 1 and zero diagonal. Sparse matrix by rows in the
/// layout of kernel/map_forces.h: ascending partners, padded with weights of 0.
struct Affinities {
  std::vector<int64_t> starts;  // [N + 1]
  std::vector<int32_t> partners;
  std::vector<float> weights;

  int64_t points() const { return static_cast<int64_t>(starts.size()) - 1; }
};

/// Computes the affinities of rows [count, dim] from Euclidean distances: the exact 3 * perplexity
/// nearest neighbors of each row, weighted to the given perplexity.
/// REQUIRES: finite rows whose squares do not overflow; 1 <= perplexity <= (count - 1) / 3.
Affinities make_affinities(const float* rows, int64_t count, int64_t dim, double perplexity);

/// Reorders the points: point order[i] becomes point i.
Affinities reordered(const Affinities& affinities, const int32_t* order);

}  // namespace projnce::eval
