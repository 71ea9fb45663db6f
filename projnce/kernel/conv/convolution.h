#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "projnce/kernel/conv/epilogue.h"
#include "projnce/kernel/conv/input_transform.h"

namespace projnce::kernel {

/// Uninitialized memory in huge pages, if available: feature maps are accessed with long strides,
/// which cause a TLB miss each with regular pages.
class PageBuffer {
 public:
  PageBuffer() = default;
  explicit PageBuffer(int64_t bytes);

  void* data() const { return data_.get(); }
  int64_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> data_;
  int64_t bytes_ = 0;
};

/// Scratch memory of the convolutions, reused across calls. Each purpose has its own buffer, which
/// grows on demand.
class Workspace {
 public:
  enum class Purpose {
    kWeights,
    kMoreWeights,
    kFactors,
    kMoreFactors,
    kPanels,
    kProducts,
    kPadded
  };

  /// Returns a buffer of at least `count` elements; its previous contents may be lost.
  template <class T>
  T* take(Purpose purpose, int64_t count) {
    auto& buffer = buffers_[purpose];
    const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
    if (buffer.bytes() < bytes) buffer = PageBuffer(bytes);
    return static_cast<T*>(buffer.data());
  }

 private:
  std::map<Purpose, PageBuffer> buffers_;
};

/// Convolution with a square kernel, without bias, padded by half the kernel size.
struct ConvGeometry {
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t kernel = 3;
  int64_t stride = 1;

  int64_t padding() const { return kernel / 2; }
  /// Returns the output size along one side.
  int64_t out_side(int64_t side) const { return (side + 2 * padding() - kernel) / stride + 1; }
  ActivationShape out_shape(const ActivationShape& in) const {
    return {in.images, out_channels, out_side(in.height), out_side(in.width)};
  }
  int64_t weights() const { return out_channels * kernel * kernel * in_channels; }
};

/// Input of a convolution: feature maps in blocked layout, or images as [N][H][W][C] (`images`).
template <class T>
struct ConvInput {
  ActivationShape shape;
  InputTransform<T> maps;
  const T* images = nullptr;
};

/// Weights and their gradients are stored as [out][kernel row][kernel column][in], LibTorch's
/// channels-last layout.
template <class T>
struct ConvForward {
  ConvGeometry geometry;
  ConvInput<T> input;
  const T* weights;
  T* out;
  const Epilogue* epilogue;  ///< applied to `out`; may be null
};

template <class T>
struct ConvBackward {
  ConvGeometry geometry;
  ConvInput<T> input;          ///< input of the forward pass
  InputTransform<T> gradient;  ///< gradient of the output
  const T* weights;
  T* in_gradient;            ///< gradient of the input; null = not computed
  const Epilogue* epilogue;  ///< applied to `in_gradient`; may be null
  T* weight_gradient;        ///< overwritten
};

/// Computes a convolution with the fastest algorithm for its shape. Bit-identical for any number of
/// threads.
template <class T>
void conv_forward(const ConvForward<T>& conv, Workspace& workspace);
template <class T>
void conv_backward(const ConvBackward<T>& conv, Workspace& workspace);

}  // namespace projnce::kernel
