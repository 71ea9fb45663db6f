#pragma once

#include "projnce/kernel/conv/epilogue.h"
#include "projnce/kernel/conv/input_transform.h"
#include "projnce/kernel/conv/workspace.h"

namespace projnce::kernel {

/// A square kernel without bias, padded by half of its size.
struct ConvGeometry {
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t kernel = 3;
  int64_t stride = 1;

  int64_t padding() const { return kernel / 2; }
  /// The side of the output for a side of the input.
  int64_t out_side(int64_t side) const { return (side + 2 * padding() - kernel) / stride + 1; }
  ActivationShape out_shape(const ActivationShape& in) const {
    return {in.images, out_channels, out_side(in.height), out_side(in.width)};
  }
  int64_t weights() const { return out_channels * kernel * kernel * in_channels; }
};

/// What a convolution reads: maps in blocks, or images as [N][H][W][C] (`images`).
template <class T>
struct ConvInput {
  ActivationShape shape;
  InputTransform<T> maps;
  const T* images = nullptr;
};

/// Weights and their gradients lie as [out][kernel row][kernel column][in], LibTorch's
/// channels-last.
template <class T>
struct ConvForward {
  ConvGeometry geometry;
  ConvInput<T> input;
  const T* weights;
  T* out;
  const Epilogue* finish;  ///< for `out`, or null
};

template <class T>
struct ConvBackward {
  ConvGeometry geometry;
  ConvInput<T> input;          ///< as it was forward
  InputTransform<T> gradient;  ///< by the output
  const T* weights;
  T* in_gradient;          ///< null: not wanted
  const Epilogue* finish;  ///< for `in_gradient`, or null
  T* weight_gradient;      ///< is overwritten
};

/// By whichever way is the fastest for the shape. Same bits for any number of threads.
template <class T>
void conv_forward(const ConvForward<T>& conv, Workspace& workspace);
template <class T>
void conv_backward(const ConvBackward<T>& conv, Workspace& workspace);

}  // namespace projnce::kernel
