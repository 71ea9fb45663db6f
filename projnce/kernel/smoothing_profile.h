#pragma once

#include <numbers>

#include "projnce/kernel/simd.h"
#include "projnce/kernel/smoothing.h"

namespace projnce {

/// K(t) and K'(t) for t in [0, 1], a vector at a time; numbers without meaning for other t.
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

  /// e^x - 1 for x in [0, 1] by its series: every term is positive, so no digit is lost, not even
  /// next to the edge of the support.
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

}  // namespace projnce
