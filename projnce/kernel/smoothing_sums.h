#pragma once

#include <numbers>

#include "projnce/kernel/micro_tile.h"
#include "projnce/kernel/simd.h"
#include "projnce/kernel/smoothing.h"

namespace projnce::kernel {

/// l1 distances.
template <class S>
struct AbsoluteDifference {
  using V = typename S::V;
  static PROJNCE_INLINE V step(V sum, V a, V b) { return sum + S::absolute(a - b); }
};

/// Squared l2 distances, without the cancellation of the dot-product form.
template <class S>
struct SquaredDifference {
  using V = typename S::V;
  static PROJNCE_INLINE V step(V sum, V a, V b) { return sum + (a - b) * (a - b); }
};

/// Micro tile of pairs, stored as T[kRows][kColumns].
template <class Arch, class T>
struct SmoothingTile {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  using I = typename S::I;
  static constexpr int kRows = Arch::kTileRows;
  static constexpr int kVectors = Arch::kPanelVectors;
  static constexpr int kColumns = kVectors * S::kWidth;
  static constexpr T kOutside = 2;  // any value above 1

  /// d / h of each pair; kOutside for excluded pairs.
  alignas(64) T scaled[kRows * kColumns];

  void measure(const SmoothingPanel<T>& p, int64_t row, int64_t rows) {
    switch (p.all->metric) {
      case Metric::kL1:
        fill<AbsoluteDifference<S>>(p, row, rows);
        return finish(p, row, rows, [](V sum) { return sum; });
      case Metric::kL2:
        fill<SquaredDifference<S>>(p, row, rows);
        return finish(p, row, rows, [](V squares) { return root(squares); });
      case Metric::kCosine:
        fill<DotProduct>(p, row, rows);
        return finish(p, row, rows, [](V cosine) { return T{0.5} - T{0.5} * cosine; });
    }
  }

 private:
  template <class Step>
  PROJNCE_INLINE void fill(const SmoothingPanel<T>& p, int64_t row, int64_t rows) {
    pair_tile<Arch, T, Step>(p.all->rows + (p.first_row + row) * p.all->stride, p.all->stride, rows,
                             p.panel, 1, p.all->dim, scaled, kColumns);
  }

  static PROJNCE_INLINE V root(V v) {
    V r;
    for (int l = 0; l < S::kWidth; ++l) {
      r[l] = sizeof(T) == 4 ? __builtin_sqrtf(v[l]) : __builtin_sqrt(v[l]);
    }
    return r;
  }

  template <class Distance>
  PROJNCE_INLINE void finish(const SmoothingPanel<T>& p, int64_t row, int64_t rows,
                             const Distance& distance) {
    const V bandwidth = S::all(p.all->bandwidth);
    for (int64_t m = 0; m < rows; ++m) {
      const int64_t first = p.first_row + row + m + 1 - p.first_column;  // first column > row
      for (int c = 0; c < kVectors; ++c) {
        T* at = scaled + m * kColumns + c * S::kWidth;
        const I position = S::count_from(c * S::kWidth);
        const I counts = (position >= lane(first)) & (position < lane(p.columns));
        S::store(at, counts ? distance(S::load(at)) / bandwidth : S::all(kOutside));
      }
    }
  }

  /// Broadcasts a column position, clamped to 0 .. kColumns.
  static PROJNCE_INLINE I lane(int64_t position) {
    const int64_t near = position < 0 ? 0 : position > kColumns ? kColumns : position;
    return S::all_lanes(static_cast<typename S::Lane>(near));
  }
};

/// Returns true if the dot products of a micro tile show that all pairs are outside the support.
/// NaN is never outside.
template <class Arch, class T>
__attribute__((noinline)) bool is_outside(const T* rows, int64_t stride, const T* panel,
                                          int64_t dim, const T* row_reach, const T* column_reach) {
  using S = Simd<Arch, T>;
  MicroTile<Arch, T, DotProduct, Arch::kTileRows> dots;
  dots.advance(rows, stride, panel, dim);
  typename S::I outside = S::all_lanes(-1);
#pragma GCC unroll 16
  for (int m = 0; m < Arch::kTileRows; ++m) {
#pragma GCC unroll 4
    for (int c = 0; c < Arch::kPanelVectors; ++c) {
      outside &= dots.value[m][c] < row_reach[m] + S::load(column_reach + c * S::kWidth);
    }
  }
  return !S::any(~outside);
}

/// Calls consume(row, rows, tile) for every micro tile of the panel that may have a pair inside the
/// support. The test costs a third of the distances, so it is disabled if it rejects nothing.
template <class Arch, class T, class Consume>
void for_each_near_tile(const SmoothingPanel<T>& p, const Consume& consume) {
  constexpr int64_t kRows = Arch::kTileRows;
  constexpr int kTrials = 4;
  const auto& all = *p.all;
  SmoothingTile<Arch, T> tile;
  bool test = all.reach != nullptr;
  int kept = 0;
  // Rows from the last column on have no column > row.
  const int64_t above = p.first_column + p.columns - 1 - p.first_row;
  const int64_t end = above < p.row_count ? above : p.row_count;
  for (int64_t row = 0; row < end; row += kRows) {
    const int64_t rows = end - row < kRows ? end - row : kRows;
    const int64_t at = p.first_row + row;
    if (test && rows == kRows) {
      if (is_outside<Arch, T>(all.rows + at * all.stride, all.stride, p.panel, all.dim,
                              all.reach + at, all.reach + p.first_column)) {
        kept = 0;
        continue;
      }
      test = ++kept < kTrials;
    }
    tile.measure(p, row, rows);
    consume(row, rows, tile);
  }
}

/// K(t) and K'(t) for t in [0, 1], one vector at a time; unspecified for other t.
template <class S>
struct EpanechnikovProfile {
  using V = typename S::V;
  static PROJNCE_INLINE V value(V t) { return 1 - t * t; }
  static PROJNCE_INLINE V slope(V t) { return -2 * t; }
};

template <class S>
struct TriangularProfile {
  using V = typename S::V;
  static PROJNCE_INLINE V value(V t) { return 1 - t; }
  static PROJNCE_INLINE V slope(V /*t*/) { return S::all(-1); }
};

template <class S>
struct MixedProfile {
  using V = typename S::V;
  static PROJNCE_INLINE V value(V t) { return 1 - t * 0.5F - t * t * 0.5F; }
  static PROJNCE_INLINE V slope(V t) { return -0.5F - t; }
};

template <class S, class T>
struct ExponentialProfile {
  using V = typename S::V;
  static constexpr T kScale = static_cast<T>(1 / (std::numbers::e - 1));

  /// e^x - 1 for x in [0, 1] by its series: all terms are positive, so there is no cancellation,
  /// not even near the edge of the support.
  static PROJNCE_INLINE V expm1(V x) {
    constexpr int kTerms = sizeof(T) == 4 ? 11 : 19;
    V sum = S::all(1);
#pragma GCC unroll 20
    for (int n = kTerms; n >= 2; --n) sum = 1 + sum * x * (T{1} / static_cast<T>(n));
    return sum * x;
  }
  static PROJNCE_INLINE V value(V t) {
    return expm1(1 - t) * kScale;
  }
  static PROJNCE_INLINE V slope(V t) {
    return -(expm1(1 - t) + 1) * kScale;
  }
};

/// Calls work(profile) with the type that belongs to `kernel`.
template <class S, class T, class Work>
PROJNCE_INLINE void with_profile(SmoothingKernel kernel, const Work& work) {
  switch (kernel) {
    case SmoothingKernel::kEpanechnikov:
      return work(EpanechnikovProfile<S>{});
    case SmoothingKernel::kTriangular:
      return work(TriangularProfile<S>{});
    case SmoothingKernel::kMixed:
      return work(MixedProfile<S>{});
    case SmoothingKernel::kExponential:
      return work(ExponentialProfile<S, T>{});
  }
}

/// Columns begin .. end - 1 of a panel, all of one class.
struct ClassRun {
  int64_t id;
  int64_t begin;
  int64_t end;
};

/// The runs of equal classes among the columns of a panel.
template <class Arch, class T>
struct ClassRuns {
  ClassRun runs[SmoothingTile<Arch, T>::kColumns];
  int count = 0;

  explicit ClassRuns(const SmoothingPanel<T>& p) {
    const int64_t* classes = p.all->classes + p.first_column;
    for (int64_t c = 0; c < p.columns; ++c) {
      if (c == 0 || classes[c] != classes[c - 1]) runs[count++] = {classes[c], c, c};
      runs[count - 1].end = c + 1;
    }
  }
  const ClassRun* begin() const { return runs; }
  const ClassRun* end() const { return runs + count; }
};

/// Adds the kernel values of a panel's pairs to sums [K, padded_count]; each pair contributes to
/// both of its rows: sums[class of k, j] and sums[class of j, k]. Sums within a block use T, sums
/// over blocks use double.
template <class Arch, class T>
class KernelSums {
 public:
  using Tile = SmoothingTile<Arch, T>;
  using S = typename Tile::S;
  using V = typename S::V;

  KernelSums(const SmoothingPanel<T>& p, double* sums) : p_(p), runs_(p), sums_(sums) {}

  template <class Profile>
  void add(int64_t row, int64_t rows, const Tile& tile) {
    for (int64_t m = 0; m < rows; ++m) {
      V kappa[Tile::kVectors];
      V total = {};
#pragma GCC unroll 4
      for (int c = 0; c < Tile::kVectors; ++c) {
        const V t = S::load(tile.scaled + m * Tile::kColumns + c * S::kWidth);
        kappa[c] = S::keep(~(t >= 1), Profile::value(t));
        total += kappa[c];
      }
      const T row_total = S::sum(total);
      if (row_total == 0) continue;
      const int64_t at = p_.first_row + row + m;
      add_to_columns(p_.all->classes[at], kappa);
      add_to_row(at, row_total, kappa);
    }
  }

  /// Adds the accumulated column sums to `sums`.
  void flush() {
    if (row_class_ < 0) return;
    double* to = sums_ + row_class_ * p_.all->padded_count + p_.first_column;
    for (int c = 0; c < Tile::kColumns; ++c) {
      to[c] += column_sums_[c];
      column_sums_[c] = 0;
    }
  }

 private:
  PROJNCE_INLINE void add_to_columns(int64_t row_class, const V (&kappa)[Tile::kVectors]) {
    if (row_class != row_class_) flush();
    row_class_ = row_class;
#pragma GCC unroll 4
    for (int c = 0; c < Tile::kVectors; ++c) {
      T* at = column_sums_ + c * S::kWidth;
      S::store(at, S::load(at) + kappa[c]);
    }
  }

  PROJNCE_INLINE void add_to_row(int64_t at, T row_total, const V (&kappa)[Tile::kVectors]) {
    const int64_t stride = p_.all->padded_count;
    if (runs_.count == 1) {
      sums_[runs_.runs[0].id * stride + at] += row_total;
      return;
    }
    alignas(64) T values[Tile::kColumns];
    for (int c = 0; c < Tile::kVectors; ++c) S::store(values + c * S::kWidth, kappa[c]);
    for (const auto& run : runs_) {
      T total = 0;
      for (int64_t c = run.begin; c < run.end; ++c) total += values[c];
      sums_[run.id * stride + at] += total;
    }
  }

  const SmoothingPanel<T>& p_;
  const ClassRuns<Arch, T> runs_;
  double* sums_;
  int64_t row_class_ = -1;
  alignas(64) T column_sums_[Tile::kColumns] = {};
};

template <class Arch, class T>
void add_kernel_sums(const SmoothingPanel<T>& p, double* sums) {
  KernelSums<Arch, T> adder(p, sums);
  with_profile<Simd<Arch, T>, T>(p.all->kernel, [&](auto profile) {
    for_each_near_tile<Arch, T>(p, [&](int64_t row, int64_t rows, const auto& tile) {
      adder.template add<decltype(profile)>(row, rows, tile);
    });
  });
  adder.flush();
}

}  // namespace projnce::kernel
