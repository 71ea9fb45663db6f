#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

/// A small function that must become part of the loop around it: a call, or a copy of it that was
/// compiled for other instructions, would cost more than its work.
#define PROJNCE_INLINE inline __attribute__((always_inline))

namespace projnce::kernel {

/// Vectors of numbers T as wide as the registers of `Arch`. `Arch` is a type in an anonymous
/// namespace of the source file that is compiled for these instructions: everything made from it
/// has internal linkage, so code for one processor never stands in for that of another.
template <class Arch, class T>
struct Simd {
  static constexpr int kWidth = Arch::kBytes / static_cast<int>(sizeof(T));
  /// Whole numbers as wide as T: results of comparisons (-1 or 0), class numbers, positions.
  using Partition = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

  typedef T V __attribute__((vector_size(Arch::kBytes)));
  typedef Partition I __attribute__((vector_size(Arch::kBytes)));
  typedef std::make_unsigned_t<Partition> U __attribute__((vector_size(Arch::kBytes)));

  static PROJNCE_INLINE V load(const T* from) { return *reinterpret_cast<const LooseV*>(from); }
  static PROJNCE_INLINE I load(const Partition* from) {
    return *reinterpret_cast<const LooseI*>(from);
  }
  static PROJNCE_INLINE void store(T* to, V v) { *reinterpret_cast<LooseV*>(to) = v; }
  static PROJNCE_INLINE void store(Partition* to, I v) { *reinterpret_cast<LooseI*>(to) = v; }

  static PROJNCE_INLINE V all(T x) { return x - V{}; }
  static PROJNCE_INLINE I all_lanes(Partition x) { return x - I{}; }
  /// first, first + 1, ...
  static PROJNCE_INLINE I count_from(Partition first) {
    I v;
    for (int l = 0; l < kWidth; ++l) v[l] = first + l;
    return v;
  }

  /// The bits of one read as the other.
  static PROJNCE_INLINE I bits(V v) { return reinterpret_cast<I>(v); }
  static PROJNCE_INLINE V number(I v) { return reinterpret_cast<V>(v); }

  static PROJNCE_INLINE V absolute(V v) {
    return number(bits(v) & all_lanes(std::numeric_limits<Partition>::max()));
  }
  static PROJNCE_INLINE V larger(V a, V b) { return a > b ? a : b; }
  static PROJNCE_INLINE V smaller(V a, V b) { return a < b ? a : b; }
  /// v where the mask says so, else 0.
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
    const Words words = reinterpret_cast<Words>(mask);  // two narrow lanes at a time
    int64_t some = 0;
    for (int l = 0; l < Arch::kBytes / 8; ++l) some |= words[l];
    return some != 0;
  }

 private:
  /// int64_t, said so that it depends on T: GCC 12 takes the vector for a number otherwise.
  using Word = std::conditional_t<sizeof(T) == 4, int64_t, Partition>;
  typedef Word Words __attribute__((vector_size(Arch::kBytes)));
  typedef T LooseV __attribute__((vector_size(Arch::kBytes), aligned(alignof(T)), may_alias));
  typedef Partition LooseI
      __attribute__((vector_size(Arch::kBytes), aligned(alignof(Partition)), may_alias));
};

}  // namespace projnce::kernel
