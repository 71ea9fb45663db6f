#pragma once

#include <limits>

#include "projnce/kernel/simd.h"

namespace projnce::kernel {

/// Finds the row of a given rank in each of kWidth columns at once, without sorting. Values are
/// mapped to integer keys in the same order; a bracket around the key of that rank is narrowed by
/// counting the keys up to a pivot, until it holds one key or the rank is at one of its ends.
template <class Arch, class T>
struct ColumnSelect {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  using I = typename S::I;
  using Lane = typename S::Lane;

  /// Passes with interpolated pivots only; uniform columns need about seven. After these, every
  /// other pivot bisects the bracket, which bounds the passes by twice the number of key bits.
  static constexpr int kFreePasses = 10;

  /// The key of the rank is in low .. high; `below` keys are < low, `upto` keys are <= high.
  struct Bracket {
    I low;
    I high;
    I below;
    I upto;
  };

  /// One key per column, and the index `tie` among the rows with that key; if `last` is set, the
  /// last of them.
  struct Choice {
    I key;
    I tie;
    I last;
  };

  static PROJNCE_INLINE I either(I mask, I a, I b) { return (a & mask) | (b & ~mask); }

  /// Reverses the order of negative values; its own inverse.
  static PROJNCE_INLINE I flip(I bits) {
    return bits ^ ((bits < I{}) & S::all_lanes(std::numeric_limits<Lane>::max()));
  }

  /// Maps -0 to 0 and orders NaN last, like torch.sort.
  static PROJNCE_INLINE I key_of(V v) {
    v = v + S::all(0);
    v = v == v ? v : S::all(std::numeric_limits<T>::quiet_NaN());
    return flip(S::bits(v));
  }

  static PROJNCE_INLINE V as_number(I count) { return __builtin_convertvector(count, V); }

  /// Counts the keys of each column that are <= pivot.
  static PROJNCE_INLINE I count_upto(const Lane* keys, int64_t n, I pivot) {
    I above[4] = {};
    int64_t r = 0;
    for (; r + 4 <= n; r += 4) {
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) above[u] += S::load(keys + (r + u) * S::kWidth) > pivot;
    }
    for (; r < n; ++r) above[0] += S::load(keys + r * S::kWidth) > pivot;
    return static_cast<Lane>(n) + ((above[0] + above[1]) + (above[2] + above[3]));
  }

  static PROJNCE_INLINE Bracket whole_range(const Lane* keys, int64_t n) {
    I low = S::load(keys);
    I high = low;
    for (int64_t r = 1; r < n; ++r) {
      const I key = S::load(keys + r * S::kWidth);
      low = key < low ? key : low;
      high = key > high ? key : high;
    }
    return {low, high, I{}, S::all_lanes(static_cast<Lane>(n))};
  }

  /// Interpolates the key of the rank, assuming uniform values; less than `high`, so that every
  /// pass makes progress.
  static PROJNCE_INLINE I interpolate(const Bracket& at, Lane rank) {
    const V low = S::number(flip(at.low));
    const V high = S::number(flip(at.high));
    const V share =
        (as_number(rank - at.below) + T{0.5}) / as_number(at.upto - at.below);  // of the bracket
    const I pivot = key_of(low + (high - low) * share);
    const I most = at.high - 1;
    const I not_above = pivot < most ? pivot : most;
    return not_above > at.low ? not_above : at.low;
  }

  static PROJNCE_INLINE I halve(const Bracket& at) {
    return (at.low & at.high) + ((at.low ^ at.high) >> 1);
  }

  /// Returns the columns whose key is the smallest, the largest or the only one in the bracket.
  static PROJNCE_INLINE I settled(const Bracket& at, Lane rank) {
    return (at.below == rank) | (at.upto == rank + 1) | (at.low == at.high);
  }

  static PROJNCE_INLINE Bracket narrow(const Lane* keys, int64_t n, Lane rank) {
    Bracket at = whole_range(keys, n);
    for (int pass = 0; S::any(~settled(at, rank)); ++pass) {
      const bool free = pass < kFreePasses || pass % 2 == 0;
      const I pivot = free ? interpolate(at, rank) : halve(at);
      const I upto = count_upto(keys, n, pivot);
      const I in_reach = upto > rank;
      at.high = either(in_reach, pivot, at.high);
      at.upto = either(in_reach, upto, at.upto);
      // A settled column may have low = high = pivot; it stays settled.
      at.low = either(in_reach, at.low, pivot + 1);
      at.below = either(in_reach, at.below, upto);
    }
    return at;
  }

  /// Returns the key of the rank: the smallest or the largest in the bracket.
  static PROJNCE_INLINE Choice choose(const Lane* keys, int64_t n, Lane rank) {
    const Bracket at = narrow(keys, n, rank);
    I smallest = at.high;
    I largest = at.low;
    for (int64_t r = 0; r < n; ++r) {
      const I key = S::load(keys + r * S::kWidth);
      smallest = ((key >= at.low) & (key < smallest)) ? key : smallest;
      largest = ((key <= at.high) & (key > largest)) ? key : largest;
    }
    const I first = at.below == rank;
    const I last = (at.upto == rank + 1) & ~first;
    return {.key = either(first, smallest, largest), .tie = rank - at.below, .last = last};
  }

  /// Returns the successor in the order of (key, row): the next row with the same key, or the next
  /// key.
  static PROJNCE_INLINE Choice successor(const Lane* keys, int64_t n, Lane rank, I key) {
    I next = S::all_lanes(std::numeric_limits<Lane>::max());
    I below = {};
    I upto = {};
    for (int64_t r = 0; r < n; ++r) {
      const I here = S::load(keys + r * S::kWidth);
      below -= here < key;
      upto -= here <= key;
      next = ((here > key) & (here < next)) ? here : next;
    }
    const I equal = upto > rank + 1;
    return {.key = either(equal, key, next), .tie = equal & (rank + 1 - below), .last = I{}};
  }

  /// Returns the index of the chosen row among the n rows, for each column.
  static PROJNCE_INLINE I row_of(const Lane* keys, int64_t n, const Choice& choice) {
    I row = {};
    I seen = {};
    for (int64_t r = 0; r < n; ++r) {
      const I equal = S::load(keys + r * S::kWidth) == choice.key;
      row = either(equal & (choice.last | (seen == choice.tie)), S::all_lanes(static_cast<Lane>(r)),
                   row);
      seen -= equal;
    }
    return row;
  }
};

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
