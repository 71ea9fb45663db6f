#pragma once

#include <numbers>

#include "projnce/kernel/simd.h"
#include "projnce/kernel/smoothing.h"
#include "projnce/kernel/smoothing_tile.h"

namespace projnce::kernel {

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
