#pragma once

#include "projnce/kernel/conv/input_transform.h"
#include "projnce/kernel/conv/loop_args.h"
#include "projnce/kernel/simd.h"

namespace projnce::kernel {

/// The SIMD vectors of one block of channels.
template <class Arch, class T>
struct BlockVectors {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  static constexpr int kCount = kChannelBlock / S::kWidth;

  V part[kCount];

  static PROJNCE_INLINE BlockVectors load(const T* from) {
    BlockVectors v;
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) v.part[i] = S::load(from + i * S::kWidth);
    return v;
  }
  static PROJNCE_INLINE BlockVectors zero() {
    BlockVectors v;
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) v.part[i] = V{};
    return v;
  }
  PROJNCE_INLINE void store(T* to) const {
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) S::store(to + i * S::kWidth, part[i]);
  }
  /// Adds to sums in double, so that long sums of floats stay accurate.
  PROJNCE_INLINE void add_to(double* sums) const {
    T lane[kChannelBlock];
    store(lane);
    for (int64_t i = 0; i < kChannelBlock; ++i) sums[i] += static_cast<double>(lane[i]);
  }
};

/// Copies the pixels of one block from a source to a target.
template <class Arch, class T, bool kScale, bool kOther, bool kRelu>
PROJNCE_INLINE void load_pixels(const InputTransform<T>& from, int64_t height, int64_t width,
                                const BlockTarget<T>& target) {
  using B = BlockVectors<Arch, T>;
  using S = Simd<Arch, T>;
  const B scale = kScale ? B::load(from.scale) : B::zero();
  const B shift = kScale ? B::load(from.shift) : B::zero();
  const B other_scale = kOther ? B::load(from.other_scale) : B::zero();
  for (int64_t y = 0; y < height; ++y) {
    const int64_t first = y * width * kChannelBlock;
    const T* x = from.x + first;
    const T* other = kOther ? from.other + first : nullptr;
    T* keep = from.keep ? from.keep + first : nullptr;
    T* to = target.to + y * target.row_stride;
    for (int64_t i = 0; i < width; ++i, to += target.pixel_stride) {
      B v = B::load(x + i * kChannelBlock);
#pragma GCC unroll 8
      for (int k = 0; k < B::kCount; ++k) {
        if (kScale) v.part[k] = v.part[k] * scale.part[k] + shift.part[k];
        if (kOther) {
          v.part[k] += S::load(other + i * kChannelBlock + k * S::kWidth) * other_scale.part[k];
        }
        if (kRelu) v.part[k] = v.part[k] < 0 ? typename S::V{} : v.part[k];  // keeps NaN
      }
      v.store(to);
      if (keep) v.store(keep + i * kChannelBlock);
    }
  }
}

/// Loads one block of an image: height x width pixels, transformed as `from` specifies.
template <class Arch, class T>
void load_block(const InputTransform<T>& from, int64_t height, int64_t width,
                const BlockTarget<T>& target) {
  if (!from.scale) return load_pixels<Arch, T, false, false, false>(from, height, width, target);
  if (from.other && from.relu) {
    return load_pixels<Arch, T, true, true, true>(from, height, width, target);
  }
  if (from.other) return load_pixels<Arch, T, true, true, false>(from, height, width, target);
  if (from.relu) return load_pixels<Arch, T, true, false, true>(from, height, width, target);
  load_pixels<Arch, T, true, false, false>(from, height, width, target);
}

/// sums[0 .. 15] += values, sums[16 .. 31] += squared values, for each channel of the block.
template <class Arch, class T>
void add_squares(const T* values, int64_t pixels, double* sums) {
  using B = BlockVectors<Arch, T>;
  B sum = B::zero();
  B square = B::zero();
  for (int64_t i = 0; i < pixels; ++i) {
    const B v = B::load(values + i * kChannelBlock);
#pragma GCC unroll 8
    for (int k = 0; k < B::kCount; ++k) {
      sum.part[k] += v.part[k];
      square.part[k] += v.part[k] * v.part[k];
    }
  }
  sum.add_to(sums);
  square.add_to(sums + kChannelBlock);
}

/// relu_backward, specialized on which of the optional maps are present.
template <class Arch, class T, bool kAdded, bool kActive, bool kSecond>
PROJNCE_INLINE void relu_backward_pixels(const ReluBackwardArgs<T>& args, int64_t pixels,
                                         double* sums) {
  using B = BlockVectors<Arch, T>;
  using S = Simd<Arch, T>;
  const B scale = kActive ? B::zero() : B::load(args.scale);
  const B shift = kActive ? B::zero() : B::load(args.shift);
  B sum = B::zero();
  B with_x = B::zero();
  B with_second = B::zero();
  for (int64_t i = 0; i < pixels; ++i) {
    const int64_t at = i * kChannelBlock;
    B g = B::load(args.gradient + at);
    const B x = B::load(args.x + at);
#pragma GCC unroll 8
    for (int k = 0; k < B::kCount; ++k) {
      if (kAdded) g.part[k] += S::load(args.added + at + k * S::kWidth);
      const auto active = kActive ? S::load(args.active + at + k * S::kWidth)
                                  : x.part[k] * scale.part[k] + shift.part[k];
      g.part[k] = S::keep(~(active <= 0), g.part[k]);  // propagates NaN, like LibTorch
      sum.part[k] += g.part[k];
      with_x.part[k] += g.part[k] * x.part[k];
      if (kSecond) with_second.part[k] += g.part[k] * S::load(args.second + at + k * S::kWidth);
    }
    g.store(args.gradient + at);
  }
  sum.add_to(sums);
  with_x.add_to(sums + kChannelBlock);
  if (kSecond) with_second.add_to(sums + 2 * kChannelBlock);
}

/// Backward of a ReLU, in place: gradient = gradient + added where the ReLU is active, otherwise 0.
/// Also accumulates the sums that the batch-norm gradient needs: gradient, gradient * x and
/// gradient * second for each channel, 16 values each.
template <class Arch, class T>
void relu_backward(const ReluBackwardArgs<T>& args, int64_t pixels, double* sums) {
  if (!args.active) {
    return args.added ? relu_backward_pixels<Arch, T, true, false, false>(args, pixels, sums)
                      : relu_backward_pixels<Arch, T, false, false, false>(args, pixels, sums);
  }
  if (args.second) {
    return args.added ? relu_backward_pixels<Arch, T, true, true, true>(args, pixels, sums)
                      : relu_backward_pixels<Arch, T, false, true, true>(args, pixels, sums);
  }
  return args.added ? relu_backward_pixels<Arch, T, true, true, false>(args, pixels, sums)
                    : relu_backward_pixels<Arch, T, false, true, false>(args, pixels, sums);
}

}  // namespace projnce::kernel
