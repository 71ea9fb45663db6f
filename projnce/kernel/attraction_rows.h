#pragma once

#include "projnce/kernel/simd.h"

namespace projnce {

/// Springs between points of a plane, by the point that they pull, as a sparse matrix by rows.
template <class T>
struct AttractionRows {
  const T* points;          // [N, 2]
  const int64_t* starts;    // [N + 1]; multiples of kAttractionStep
  const int32_t* partners;  // a row is filled up with any points
  const T* weights;         // ... of weight 0
};

/// Springs of a row come in multiples of this, whole vectors with every instruction set.
inline constexpr int64_t kAttractionStep = 16;

/// For points first .. end - 1 with q = 1 / (1 + |i - j|^2): pull_i = sum_j w_ij q (i - j).
template <class Arch, class T>
void attract(const AttractionRows<T>& rows, int64_t first, int64_t end, T* pulls) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  static_assert(kAttractionStep % S::kWidth == 0);
  for (int64_t i = first; i < end; ++i) {
    const T x = rows.points[2 * i];
    const T y = rows.points[2 * i + 1];
    V pull_x = {}, pull_y = {};
    for (int64_t e = rows.starts[i]; e < rows.starts[i + 1]; e += S::kWidth) {
      V their_x, their_y;
#pragma GCC unroll 16
      for (int l = 0; l < S::kWidth; ++l) {
        const T* partner = rows.points + 2 * static_cast<int64_t>(rows.partners[e + l]);
        their_x[l] = partner[0];
        their_y[l] = partner[1];
      }
      const V dx = x - their_x;
      const V dy = y - their_y;
      const V strength = S::load(rows.weights + e) / (dx * dx + (dy * dy + T{1}));
      pull_x += strength * dx;
      pull_y += strength * dy;
    }
    pulls[2 * i] = S::sum(pull_x);
    pulls[2 * i + 1] = S::sum(pull_y);
  }
}

}  // namespace projnce
