#pragma once

#include "projnce/kernel/simd.h"

namespace projnce::kernel {

/// Constants per floating-point format, for x = n log 2 + r with |r| <= log(2)/2 and integer n.
template <class T>
struct ExponentFormat;

template <>
struct ExponentFormat<float> {
  static constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr int kShift = 23;
  static constexpr float kLn2High = 0.693359375F;  // few bits, so that n * high is exact
  static constexpr float kLn2Low = -2.12194440e-4F;
  static constexpr float kLowest = -87.0F;  // e^x is a normal number from here ...
  static constexpr float kHighest = 88.0F;  // ... to here
  static constexpr int kExpTerms = 8;       // powers of r
  static constexpr int kLogTerms = 9;       // odd powers
};

template <>
struct ExponentFormat<double> {
  static constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr int kShift = 52;
  static constexpr double kLn2High = 0.693147180369123816490;
  static constexpr double kLn2Low = 1.90821492927058770002e-10;
  static constexpr double kLowest = -708.0;
  static constexpr double kHighest = 709.0;
  static constexpr int kExpTerms = 14;
  static constexpr int kLogTerms = 18;
};

template <class Arch, class T>
struct Exponential {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  using Format = ExponentFormat<T>;

  /// e^x for kLowest <= x <= kHighest; unspecified otherwise.
  static PROJNCE_INLINE V bounded(V x) {
    const Split s = split(x);
    return scaled(T{1} + expm1_of_remainder(s.r), s.n);
  }

  /// e^x for any x: 0 on underflow, infinity on overflow.
  static PROJNCE_INLINE V anywhere(V x) {
    const V e = bounded(x);
    const V top = x > Format::kHighest ? S::all(std::numeric_limits<T>::infinity()) : e;
    return S::keep(x >= Format::kLowest, top);
  }

  /// e^x - 1, accurate for small x.
  static PROJNCE_INLINE V minus_one(V x) {
    const V kept = x < Format::kLowest ? S::all(Format::kLowest) : x;
    const Split s = split(kept);
    const V power = scaled(S::all(1), s.n);  // 2^n
    const V value = power * expm1_of_remainder(s.r) + (power - T{1});
    return x > Format::kHighest ? S::all(std::numeric_limits<T>::infinity()) : value;
  }

  /// log(1 + x) for 0 <= x <= 1, from log(1 + x) = 2 atanh(x / (2 + x)) and its power series.
  static PROJNCE_INLINE V log_one_plus(V x) {
    const V y = x / (x + T{2});
    const V square = y * y;
    V sum = S::all(T{1} / (2 * Format::kLogTerms - 1));
#pragma GCC unroll 20
    for (int k = Format::kLogTerms - 1; k > 0; --k) {
      sum = sum * square + S::all(T{1} / static_cast<T>(2 * k - 1));
    }
    return T{2} * y * sum;
  }

 private:
  struct Split {
    V r;
    V n;  // the integer, in the lowest bits
  };

  static PROJNCE_INLINE Split split(V x) {
    constexpr T kLog2E = static_cast<T>(1.442695040888963407359924681001892137);
    const V n = x * kLog2E + Format::kRound;
    const V whole = n - Format::kRound;
    return {(x - whole * Format::kLn2High) - whole * Format::kLn2Low, n};
  }

  /// v 2^n by adding to the exponent bits; unsigned, because values out of range may overflow.
  static PROJNCE_INLINE V scaled(V v, V n) {
    using U = typename S::U;
    return reinterpret_cast<V>(reinterpret_cast<U>(v) + (reinterpret_cast<U>(n) << Format::kShift));
  }

  /// r + r^2/2! + r^3/3! + ...
  static PROJNCE_INLINE V expm1_of_remainder(V r) {
    T coefficient[Format::kExpTerms] = {1};
    for (int k = 1; k < Format::kExpTerms; ++k) coefficient[k] = coefficient[k - 1] / T(k + 1);
    V sum = S::all(coefficient[Format::kExpTerms - 1]);
#pragma GCC unroll 16
    for (int k = Format::kExpTerms - 2; k >= 0; --k) sum = sum * r + coefficient[k];
    return sum * r;
  }
};

}  // namespace projnce::kernel
