#pragma once

#include "projnce/kernel/conv/input_transform.h"

namespace projnce::kernel {

/// Operation on a range of output pixels right after a convolution has written them, while they are
/// in cache. Ranges of one block of one image are processed in order, others concurrently.
class Epilogue {
 public:
  virtual ~Epilogue() = default;
  virtual void run(int64_t image, int64_t block, int64_t first_pixel, int64_t pixels) const = 0;
};

/// Per-channel sums for each image, [N][blocks][kinds][16], so that the result does not depend on
/// the number of threads.
class ChannelSums {
 public:
  static constexpr int64_t kMaxKinds = 3;  // kinds of sums

  /// `memory` has size(shape) elements and is set to 0.
  ChannelSums(const ActivationShape& shape, double* memory);
  static int64_t size(const ActivationShape& shape) {
    return shape.images * shape.blocks() * kMaxKinds * kChannelBlock;
  }

  double* of(int64_t image, int64_t block) const {
    return memory_ + (image * blocks_ + block) * kMaxKinds * kChannelBlock;
  }
  /// Sums over all images: totals[kind][padded channels].
  void total(int64_t kinds, double* totals) const;

 private:
  int64_t images_;
  int64_t blocks_;
  double* memory_;
};

/// Accumulates sums of values and squares for batch-norm.
template <class T>
class SumSquares : public Epilogue {
 public:
  SumSquares(const ActivationShape& shape, const T* maps, const ChannelSums& sums)
      : shape_(shape), maps_(maps), sums_(sums) {}
  void run(int64_t image, int64_t block, int64_t first_pixel, int64_t pixels) const override;

 private:
  const ActivationShape& shape_;
  const T* maps_;
  const ChannelSums& sums_;
};

/// Applies `source` to the maps in place: batch-norm with fixed statistics, shortcut, ReLU.
template <class T>
class Activate : public Epilogue {
 public:
  /// REQUIRES: source.x == maps.
  Activate(const ActivationShape& shape, T* maps, const InputTransform<T>& source)
      : shape_(shape), maps_(maps), source_(source) {}
  void run(int64_t image, int64_t block, int64_t first_pixel, int64_t pixels) const override;

 private:
  const ActivationShape& shape_;
  T* maps_;
  InputTransform<T> source_;
};

/// Arguments of ReluBackward: the pointers of ReluBackwardArgs, for the whole batch.
template <class T>
struct ReluBackwardEpilogue {
  T* gradient;
  const T* added = nullptr;
  const T* x = nullptr;
  const T* second = nullptr;
  const T* active = nullptr;
  const T* scale = nullptr;
  const T* shift = nullptr;
};

/// Applies relu_backward of block_loops.h, with its three sums.
template <class T>
class ReluBackward : public Epilogue {
 public:
  ReluBackward(const ActivationShape& shape, const ReluBackwardEpilogue<T>& maps,
               const ChannelSums& sums)
      : shape_(shape), maps_(maps), sums_(sums) {}
  void run(int64_t image, int64_t block, int64_t first_pixel, int64_t pixels) const override;

 private:
  const ActivationShape& shape_;
  ReluBackwardEpilogue<T> maps_;
  const ChannelSums& sums_;
};

}  // namespace projnce::kernel
