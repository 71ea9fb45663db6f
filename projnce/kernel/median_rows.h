#pragma once

#include "projnce/kernel/column_select.h"

namespace projnce::kernel {

/// Columns that are processed together: one cache line of every row.
template <class T>
inline constexpr int64_t kMedianColumns = 64 / static_cast<int64_t>(sizeof(T));

/// Keys of up to kMedianColumns columns: vector v of row r at keys[(v * n + r) * kWidth].
template <class Arch, class T>
PROJNCE_INLINE void gather_keys(const T* rows, int64_t stride, const int64_t* members, int64_t n,
                                int64_t columns, typename Simd<Arch, T>::Lane* keys) {
  using S = Simd<Arch, T>;
  using Select = ColumnSelect<Arch, T>;
  constexpr int64_t kVectors = kMedianColumns<T> / S::kWidth;
  constexpr int64_t kAhead = 16;  // rows to prefetch, because they are scattered
  for (int64_t r = 0; r < n; ++r) {
    if (r + kAhead < n) __builtin_prefetch(rows + members[r + kAhead] * stride);
    const T* from = rows + members[r] * stride;
    T padded[kMedianColumns<T>] = {};
    if (columns < kMedianColumns<T>) {  // do not read beyond the last column
      for (int64_t c = 0; c < columns; ++c) padded[c] = from[c];
      from = padded;
    }
#pragma GCC unroll 8
    for (int64_t v = 0; v < kVectors; ++v) {
      S::store(keys + (v * n + r) * S::kWidth, Select::key_of(S::load(from + v * S::kWidth)));
    }
  }
}

/// Finds, for each of `columns` (at most kMedianColumns) columns, which of the n rows `members`
/// holds the lower median and, unless `upper` is null, the upper median. `scratch` holds n cache
/// lines.
template <class Arch, class T>
__attribute__((noinline)) void median_rows(const T* rows, int64_t stride, const int64_t* members,
                                           int64_t n, int64_t columns, T* scratch, int64_t* lower,
                                           int64_t* upper) {
  using S = Simd<Arch, T>;
  using Select = ColumnSelect<Arch, T>;
  using Lane = typename S::Lane;
  auto* keys = reinterpret_cast<Lane*>(scratch);  // only accessed through Simd's may_alias types
  gather_keys<Arch, T>(rows, stride, members, n, columns, keys);
  const auto rank = static_cast<Lane>((n - 1) / 2);
  for (int64_t first = 0; first < columns; first += S::kWidth, keys += n * S::kWidth) {
    const int64_t present = columns - first < S::kWidth ? columns - first : S::kWidth;
    const auto low = Select::choose(keys, n, rank);
    const auto low_row = Select::row_of(keys, n, low);
    for (int64_t c = 0; c < present; ++c) lower[first + c] = members[low_row[c]];
    if (upper == nullptr) continue;
    if (n % 2 == 1) {
      for (int64_t c = 0; c < present; ++c) upper[first + c] = lower[first + c];
      continue;
    }
    const auto high_row = Select::row_of(keys, n, Select::successor(keys, n, rank, low.key));
    for (int64_t c = 0; c < present; ++c) upper[first + c] = members[high_row[c]];
  }
}

}  // namespace projnce::kernel
