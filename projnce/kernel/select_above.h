#pragma once

#include <cstdint>

#include "projnce/kernel/simd.h"

namespace projnce::kernel {

/// A reference that may be among the nearest.
template <class T>
struct Candidate {
  T score;
  int32_t index;
};

/// Writes the columns (of `count`) with score > limit to `to` and returns their number, where
/// score = product - offset; indices start at `first`. May write up to one vector beyond the end.
/// Few columns pass once a list is full, so whole vectors are tested first, and only those with a
/// hit lane by lane.
template <class Arch, class T>
int64_t select_above(const T* products, const T* offsets, int64_t count, T limit, int32_t first,
                     Candidate<T>* to) {
  using S = Simd<Arch, T>;
  const auto at_least = S::all(limit);
  Candidate<T>* end = to;
  constexpr int kVectors = 4;  // tested together: most have no hit
  const auto take = [&](int64_t at) {
    const auto score = S::load(products + at) - S::load(offsets + at);
    for (int l = 0; l < S::kWidth; ++l) {
      *end = {score[l], first + static_cast<int32_t>(at) + l};
      end += score[l] > limit;
    }
  };
  int64_t c = 0;
  for (; c + kVectors * S::kWidth <= count; c += kVectors * S::kWidth) {
    typename S::I some[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const int64_t at = c + v * S::kWidth;
      some[v] = S::load(products + at) - S::load(offsets + at) > at_least;
    }
    if (!S::any((some[0] | some[1]) | (some[2] | some[3]))) continue;
    for (int v = 0; v < kVectors; ++v) {
      if (S::any(some[v])) take(c + v * S::kWidth);
    }
  }
  for (; c + S::kWidth <= count; c += S::kWidth) take(c);
  for (; c < count; ++c) {
    *end = {products[c] - offsets[c], first + static_cast<int32_t>(c)};
    end += end->score > limit;
  }
  return end - to;
}

/// Returns true if any of `count` columns may be above `limit` by the bound of row_sketch.h: the
/// score of the projections plus the product of the residual norms.
template <class Arch, class T>
bool any_above(const T* products, const T* offsets, const T* residuals, int64_t count, T residual,
               T limit) {
  using S = Simd<Arch, T>;
  const auto at_least = S::all(limit);
  typename S::I some = {};
  int64_t c = 0;
  for (; c + S::kWidth <= count; c += S::kWidth) {
    some |=
        S::load(products + c) - S::load(offsets + c) + residual * S::load(residuals + c) > at_least;
  }
  bool any = S::any(some);
  for (; c < count; ++c) any |= products[c] - offsets[c] + residual * residuals[c] > limit;
  return any;
}

/// Computes |u - v|^2 in double precision for any T.
template <class Arch, class T>
double squared_distance(const T* u, const T* v, int64_t dim) {
  constexpr int kWidth = Arch::kBytes / 8;
  constexpr int kSums = 4;  // enough of them to hide the latency of the addition
  typedef decltype(T{} * 1.0) Wide __attribute__((vector_size(Arch::kBytes)));
  typedef T Part __attribute__((vector_size(kWidth * sizeof(T)), aligned(alignof(T)), may_alias));
  const auto wide = [](const T* from) {
    return __builtin_convertvector(*reinterpret_cast<const Part*>(from), Wide);
  };
  Wide sums[kSums] = {};
  int64_t k = 0;
  for (; k + kSums * kWidth <= dim; k += kSums * kWidth) {
#pragma GCC unroll 4
    for (int s = 0; s < kSums; ++s) {
      const Wide difference = wide(u + k + s * kWidth) - wide(v + k + s * kWidth);
      sums[s] += difference * difference;
    }
  }
  const Wide total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double sum = 0;
  for (int l = 0; l < kWidth; ++l) sum += total[l];
  for (; k < dim; ++k) {
    const double difference = static_cast<double>(u[k]) - v[k];
    sum += difference * difference;
  }
  return sum;
}

}  // namespace projnce::kernel
