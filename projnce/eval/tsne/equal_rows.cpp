#include "projnce/eval/tsne/equal_rows.h"

#include <algorithm>
#include <numeric>

#include "projnce/core/seed.h"

namespace projnce {

namespace {

/// Rows whose neighbors are all at the distance 0, equal ones next to each other.
std::vector<int32_t> rows_among_equals(const float* rows, int64_t count, int64_t dim,
                                       int64_t neighbors, const float* distances) {
  std::vector<int32_t> found;
  for (int64_t i = 0; i < count; ++i) {
    if (distances[(i + 1) * neighbors - 1] <= 0) found.push_back(static_cast<int32_t>(i));
  }
  std::sort(found.begin(), found.end(), [&](int32_t a, int32_t b) {
    const float* u = rows + a * dim;
    const float* v = rows + b * dim;
    const auto [x, y] = std::mismatch(u, u + dim, v);
    return x == u + dim ? a < b : *x < *y;
  });
  return found;
}

/// `wanted` different numbers of 1 .. count - 1.
std::vector<int64_t> random_offsets(int64_t count, int64_t wanted) {
  std::vector<int64_t> offsets(static_cast<size_t>(count - 1));
  std::iota(offsets.begin(), offsets.end(), 1);
  Random(derive_seed(0, static_cast<uint64_t>(count))).shuffle(offsets);
  offsets.resize(static_cast<size_t>(wanted));
  return offsets;
}

}  // namespace

void mix_equal_rows(const float* rows, int64_t count, int64_t dim, int64_t neighbors,
                    const float* distances, int32_t* indices) {
  const auto sorted = rows_among_equals(rows, count, dim, neighbors, distances);
  const auto equal = [&](int32_t a, int32_t b) {
    return std::equal(rows + a * dim, rows + (a + 1) * dim, rows + b * dim);
  };
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last =
        std::find_if_not(first, sorted.end(), [&](int32_t other) { return equal(*first, other); });
    const int64_t group = last - first;
    // Distances may also underflow to 0: then the group is smaller.
    if (group > neighbors + 1) {
      const auto offsets = random_offsets(group, neighbors);
      for (int64_t i = 0; i < group; ++i) {
        int32_t* to = indices + first[i] * neighbors;
        for (const int64_t offset : offsets) *to++ = first[(i + offset) % group];
      }
    }
    first = last;
  }
}

}  // namespace projnce
