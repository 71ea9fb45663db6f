#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

/// Forces inlining of small functions into hot loops: a call, or a copy compiled for another
/// instruction set, would cost more than the function itself.
#define PROJNCE_INLINE inline __attribute__((always_inline))

namespace projnce::kernel {

/// SIMD vectors of T with the register width of `Arch`. `Arch` is a type in an anonymous namespace
/// of the source file that is compiled for its instruction set: everything instantiated with it has
/// internal linkage, so the linker never merges code for different instruction sets.
template <class Arch, class T>
struct Simd {
  static constexpr int kWidth = Arch::kBytes / static_cast<int>(sizeof(T));
  /// Integer as wide as T: results of comparisons (-1 or 0), classes, positions.
  using Lane = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

  typedef T V __attribute__((vector_size(Arch::kBytes)));
  typedef Lane I __attribute__((vector_size(Arch::kBytes)));
  typedef std::make_unsigned_t<Lane> U __attribute__((vector_size(Arch::kBytes)));

  static PROJNCE_INLINE V load(const T* from) { return *reinterpret_cast<const LooseV*>(from); }
  static PROJNCE_INLINE I load(const Lane* from) { return *reinterpret_cast<const LooseI*>(from); }
  static PROJNCE_INLINE void store(T* to, V v) { *reinterpret_cast<LooseV*>(to) = v; }
  static PROJNCE_INLINE void store(Lane* to, I v) { *reinterpret_cast<LooseI*>(to) = v; }

  static PROJNCE_INLINE V all(T x) { return x - V{}; }
  static PROJNCE_INLINE I all_lanes(Lane x) { return x - I{}; }
  /// Returns first, first + 1, ...
  static PROJNCE_INLINE I count_from(Lane first) {
    I v;
    for (int l = 0; l < kWidth; ++l) v[l] = first + l;
    return v;
  }

  /// Bit casts between integers and floating-point values.
  static PROJNCE_INLINE I bits(V v) { return reinterpret_cast<I>(v); }
  static PROJNCE_INLINE V number(I v) { return reinterpret_cast<V>(v); }

  static PROJNCE_INLINE V absolute(V v) {
    return number(bits(v) & all_lanes(std::numeric_limits<Lane>::max()));
  }
  static PROJNCE_INLINE V larger(V a, V b) { return a > b ? a : b; }
  static PROJNCE_INLINE V smaller(V a, V b) { return a < b ? a : b; }
  /// Returns v where the mask is set, otherwise 0.
  static PROJNCE_INLINE V keep(I mask, V v) { return number(bits(v) & mask); }

  static PROJNCE_INLINE T sum(V v) {
    T total = v[0];
    for (int l = 1; l < kWidth; ++l) total += v[l];
    return total;
  }
  static PROJNCE_INLINE T largest(V v) {
    T most = v[0];
    for (int l = 1; l < kWidth; ++l) most = most > v[l] ? most : v[l];
    return most;
  }
  static PROJNCE_INLINE bool any(I mask) {
    const Words words = reinterpret_cast<Words>(mask);  // two 32-bit lanes at a time
    int64_t some = 0;
    for (int l = 0; l < Arch::kBytes / 8; ++l) some |= words[l];
    return some != 0;
  }

 private:
  /// int64_t as a dependent type: otherwise GCC 12 treats the vector as a scalar.
  using Word = std::conditional_t<sizeof(T) == 4, int64_t, Lane>;
  typedef Word Words __attribute__((vector_size(Arch::kBytes)));
  typedef T LooseV __attribute__((vector_size(Arch::kBytes), aligned(alignof(T)), may_alias));
  typedef Lane LooseI __attribute__((vector_size(Arch::kBytes), aligned(alignof(Lane)), may_alias));
};

}  // namespace projnce::kernel
