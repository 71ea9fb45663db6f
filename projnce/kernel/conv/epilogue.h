#pragma once

#include "projnce/kernel/conv/input_transform.h"

namespace projnce::kernel {

/// What is done with a run of pixels as soon as a convolution has written it, while it is near the
/// core. Runs of one block of one image come in order; those of others at the same time.
class Epilogue {
 public:
  virtual ~Epilogue() = default;
  virtual void run(int64_t image, int64_t block, int64_t first_pixel, int64_t pixels) const = 0;
};

/// Sums for each channel, by image: [N][blocks][kinds][16], so that they come out the same for any
/// number of threads.
class ChannelSums {
 public:
  static constexpr int64_t kMost = 3;  // kinds of sums

  /// `memory`: size(shape) numbers, which are set to 0.
  ChannelSums(const ActivationShape& shape, double* memory);
  static int64_t size(const ActivationShape& shape) {
    return shape.images * shape.blocks() * kMost * kChannelBlock;
  }

  double* of(int64_t image, int64_t block) const {
    return memory_ + (image * blocks_ + block) * kMost * kChannelBlock;
  }
  /// totals[kind][padded channels]: over all images.
  void total(int64_t kinds, double* totals) const;

 private:
  int64_t images_;
  int64_t blocks_;
  double* memory_;
};

/// Sums of values and squares for batch-norm.
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

/// Writes over the maps what `source` makes of them: batch-norm by fixed statistics, shortcut,
/// ReLU.
template <class T>
class Activate : public Epilogue {
 public:
  /// `source.x` are the maps.
  Activate(const ActivationShape& shape, T* maps, const InputTransform<T>& source)
      : shape_(shape), maps_(maps), source_(source) {}
  void run(int64_t image, int64_t block, int64_t first_pixel, int64_t pixels) const override;

 private:
  const ActivationShape& shape_;
  T* maps_;
  InputTransform<T> source_;
};

/// Maps that a gradient meets on its way back through a ReLU and a batch-norm; pointers are those
/// of ReluBackwardArgs, to whole batches.
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

/// relu_backward of block_loops.h, with its three sums.
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
