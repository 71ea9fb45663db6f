#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "projnce/encoder/native/native_engine.h"
#include "projnce/encoder/native/native_layer.h"
#include "projnce/kernel/conv/convolution.h"

namespace projnce::encoder {

/// Buffers for short-lived feature maps: gradients in backward, activations in evaluation.
template <class T>
class ActivationBuffers {
 public:
  /// Grows each buffer to at least `count` elements.
  void reserve(int64_t count) {
    const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
    for (auto& buffer : buffers_) {
      if (buffer.bytes() < bytes) buffer = kernel::PageBuffer(bytes);
    }
  }

  /// Returns a buffer that is not in `used`, which has at most three entries.
  T* unused(std::initializer_list<const T*> used) const {
    for (const auto& buffer : buffers_) {
      T* maps = static_cast<T*>(buffer.data());
      if (std::find(used.begin(), used.end(), maps) == used.end()) return maps;
    }
    return nullptr;
  }

 private:
  std::array<kernel::PageBuffer, 4> buffers_;
};

/// Feature maps between two blocks. The first reader also stores them.
template <class T>
struct NativeActivations {
  kernel::ActivationShape shape;
  kernel::InputTransform<T> source;
  const T* stored = nullptr;  ///< destination of the first reader
  const T* images = nullptr;  ///< network input, used instead of maps

  kernel::ConvInput<T> first_read() const { return {shape, source, images}; }
  kernel::ConvInput<T> reread() const { return {shape, {.x = stored}, images}; }
};

/// Memory shared by all passes through a network.
template <class T>
struct NativeMemory {
  kernel::Workspace workspace;
  ActivationBuffers<T> buffers;
};

/// A block of a network and its state in one pass.
template <class T>
class NativeBlock {
 public:
  virtual ~NativeBlock() = default;

  /// Shape of the output, and size of the largest feature maps inside the block.
  virtual kernel::ActivationShape out_shape(const kernel::ActivationShape& in) const = 0;
  virtual int64_t largest(const kernel::ActivationShape& in) const = 0;

  virtual NativeActivations<T> forward(const NativeActivations<T>& input,
                                       NativeMemory<T>& memory) = 0;
  /// Uses the running statistics and saves nothing for backward.
  virtual NativeActivations<T> evaluate(const NativeActivations<T>& input,
                                        NativeMemory<T>& memory) = 0;

  /// Returns the epilogue for the gradient of the block's output: adds `added` (may be null) and
  /// applies the backward of the ReLU. Null if there is nothing to do.
  virtual std::unique_ptr<kernel::Epilogue> relu_epilogue(T* gradient, const T* added) = 0;
  /// `gradient` is the gradient of the output after relu_epilogue. Returns the gradient of the
  /// input after the relu_epilogue of `previous`, the previous block; null if there is none.
  virtual const T* backward(const NativeActivations<T>& input, const T* gradient,
                            NativeBlock* previous, NativeMemory<T>& memory) = 0;

  /// Returns the layers in module order.
  virtual std::vector<const NativeLayer<T>*> layers() const = 0;
};

template <class T>
std::unique_ptr<NativeBlock<T>> make_conv_block(const ConvBnReluSpec& plan);
template <class T>
std::unique_ptr<NativeBlock<T>> make_residual_block(const ResidualBlockSpec& plan);

}  // namespace projnce::encoder
