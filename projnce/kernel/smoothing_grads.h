#pragma once

#include "projnce/kernel/smoothing_sums.h"

namespace projnce::kernel {

/// Gradient contributions of a pair with weight w to its rows u and v, one vector of dimensions at
/// a time.
struct SignGrad {
  template <class S, class V>
  static PROJNCE_INLINE void step(V w, V u, V v, V& du, V& dv) {
    const V difference = u - v;
    const auto sign = S::bits(difference) & S::bits(S::all(-0.0F));
    const V grad = S::keep(difference != 0, S::number(S::bits(w) ^ sign));
    du += grad;
    dv -= grad;
  }
};

struct DifferenceGrad {
  template <class S, class V>
  static PROJNCE_INLINE void step(V w, V u, V v, V& du, V& dv) {
    const V difference = u - v;
    du += w * difference;
    dv -= w * difference;
  }
};

struct OtherRowGrad {
  template <class S, class V>
  static PROJNCE_INLINE void step(V w, V u, V v, V& du, V& dv) {
    du += w * v;
    dv += w * u;
  }
};

/// The pairs of one row with a nonzero gradient.
template <class Arch, class T>
struct RowGrads {
  static constexpr int kColumns = SmoothingTile<Arch, T>::kColumns;
  int64_t column[kColumns];
  T weight[kColumns];
  int count = 0;
};

/// Adds the gradients of one row's pairs to both sides, for the first kVectors vectors of
/// dimensions.
template <class Arch, class T, class PairGrad, int kVectors>
PROJNCE_INLINE void accumulate_grad_dimensions(const RowGrads<Arch, T>& grads, const T* row,
                                               T* row_grad, const T* columns, T* column_grads,
                                               int64_t stride) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  V u[kVectors];
  V du[kVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) {
    u[k] = S::load(row + k * S::kWidth);
    du[k] = S::load(row_grad + k * S::kWidth);
  }
  for (int i = 0; i < grads.count; ++i) {
    const int64_t offset = grads.column[i] * stride;
    const V w = S::all(grads.weight[i]);
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) {
      T* to = column_grads + offset + k * S::kWidth;
      V dv = S::load(to);
      PairGrad::template step<S, V>(w, u[k], S::load(columns + offset + k * S::kWidth), du[k], dv);
      S::store(to, dv);
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) S::store(row_grad + k * S::kWidth, du[k]);
}

template <class Arch, class T, class PairGrad>
__attribute__((noinline)) void accumulate_row_grad(const RowGrads<Arch, T>& grads, const T* row,
                                                   T* row_grad, const T* columns, T* column_grads,
                                                   int64_t stride) {
  constexpr int kVectors = 4;
  constexpr int64_t kWidth = Simd<Arch, T>::kWidth;
  int64_t d = 0;
  for (; d + kVectors * kWidth <= stride; d += kVectors * kWidth) {
    accumulate_grad_dimensions<Arch, T, PairGrad, kVectors>(grads, row + d, row_grad + d,
                                                            columns + d, column_grads + d, stride);
  }
  for (; d < stride; d += kWidth) {
    accumulate_grad_dimensions<Arch, T, PairGrad, 1>(grads, row + d, row_grad + d, columns + d,
                                                     column_grads + d, stride);
  }
}

/// Gradient of the rows through the kernel sums. With A = dL/dsums [K, padded_count], a pair has
/// E = K'(d/h)/h (A[class of k, j] + A[class of j, k]) and contributes E times the gradient of its
/// distance to its rows j and k. The gradient at kinks is 0.
template <class Arch, class T>
class KernelGrads {
 public:
  using Tile = SmoothingTile<Arch, T>;
  using S = typename Tile::S;
  using V = typename S::V;

  KernelGrads(const SmoothingPanel<T>& p, const T* sum_grads, T* row_grads)
      : p_(p), runs_(p), sum_grads_(sum_grads), row_grads_(row_grads) {}

  template <class Profile>
  void add(int64_t row, int64_t rows, const Tile& tile) const {
    for (int64_t m = 0; m < rows; ++m) {
      const int64_t at = p_.first_row + row + m;
      const auto grads = pair_grads<Profile>(at, tile.scaled + m * Tile::kColumns);
      if (grads.count > 0) accumulate(at, grads);
    }
  }

 private:
  using Grads = RowGrads<Arch, T>;

  template <class Profile>
  Grads pair_grads(int64_t at, const T* scaled) const {
    alignas(64) T weights[Tile::kColumns] = {};
    for (const auto& run : runs_) {
      const T gradient = sum_grads_[run.id * p_.all->padded_count + at];
      for (int64_t c = run.begin; c < run.end; ++c) weights[c] = gradient;
    }
    const T* other = sum_grads_ + p_.all->classes[at] * p_.all->padded_count + p_.first_column;
    for (int c = 0; c < Tile::kVectors; ++c) {
      const V t = S::load(scaled + c * S::kWidth);
      const V both = S::load(weights + c * S::kWidth) + S::load(other + c * S::kWidth);
      const V e = Profile::slope(t) / p_.all->bandwidth * both;
      S::store(weights + c * S::kWidth, S::keep(~(t >= 1), pair_weight(e, t)));
    }
    Grads grads;
    for (int64_t c = 0; c < p_.columns; ++c) {
      if (weights[c] == 0) continue;
      grads.column[grads.count] = c;
      grads.weight[grads.count++] = weights[c];
    }
    return grads;
  }

  /// E times the factor of the distance gradient that is common to all dimensions.
  PROJNCE_INLINE V pair_weight(V e, V t) const {
    if (p_.all->metric == Metric::kL2) return S::keep(t != 0, e / (t * p_.all->bandwidth));
    if (p_.all->metric == Metric::kCosine) return e * T{-0.5};
    return e;
  }

  void accumulate(int64_t at, const Grads& grads) const {
    const auto& all = *p_.all;
    const int64_t row = at * all.stride;
    const int64_t columns = p_.first_column * all.stride;
    const auto run = [&](auto how) {
      accumulate_row_grad<Arch, T, decltype(how)>(grads, all.rows + row, row_grads_ + row,
                                                  all.rows + columns, row_grads_ + columns,
                                                  all.stride);
    };
    if (all.metric == Metric::kL1) return run(SignGrad{});
    if (all.metric == Metric::kL2) return run(DifferenceGrad{});
    run(OtherRowGrad{});
  }

  const SmoothingPanel<T>& p_;
  const ClassRuns<Arch, T> runs_;
  const T* sum_grads_;
  T* row_grads_;
};

template <class Arch, class T>
void accumulate_kernel_grad(const SmoothingPanel<T>& p, const T* sum_grads, T* row_grads) {
  const KernelGrads<Arch, T> adder(p, sum_grads, row_grads);
  with_profile<Simd<Arch, T>, T>(p.all->kernel, [&](auto profile) {
    for_each_near_tile<Arch, T>(p, [&](int64_t row, int64_t rows, const auto& tile) {
      adder.template add<decltype(profile)>(row, rows, tile);
    });
  });
}

}  // namespace projnce::kernel
