#pragma once

#include <cstdint>
#include <vector>

namespace projnce {

/// Replaces the neighbors of rows that have more equal rows than neighbors.
///
/// A search breaks ties by index, so that all of the equal rows would share the same few neighbors,
/// and t-SNE would gather the others around them. Here each gets as many of the equal rows by
/// chance, and each is the neighbor of as many. rows is [count, dim]; distances and indices
/// [count, neighbors], the nearest first.
void mix_equal_rows(const float* rows, int64_t count, int64_t dim, int64_t neighbors,
                    const float* distances, int32_t* indices);

}  // namespace projnce
