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
#include "projnce/kernel/conv/workspace.h"

namespace projnce::encoder {

/// Memory for maps that live for a few layers only: gradients on their way back, activations of an
/// evaluation.
template <class T>
class ActivationBuffers {
 public:
  /// Each for at least so many numbers.
  void reserve(int64_t count) {
    const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
    for (auto& buffer : buffers_) {
      if (buffer.bytes() < bytes) buffer = kernel::PageBuffer(bytes);
    }
  }

  /// One that is none of those in use, of which there are three at most.
  T* other_than(std::initializer_list<const T*> used) const {
    for (const auto& buffer : buffers_) {
      T* maps = static_cast<T*>(buffer.data());
      if (std::find(used.begin(), used.end(), maps) == used.end()) return maps;
    }
    return nullptr;
  }

 private:
  std::array<kernel::PageBuffer, 4> buffers_;
};

/// Maps on their way from one part to the next. Who reads them first stores them too.
template <class T>
struct NativeActivations {
  kernel::ActivationShape shape;
  kernel::InputTransform<T> source;
  const T* stored = nullptr;  ///< where the first reader stores them
  const T* images = nullptr;  ///< the network's input instead

  kernel::ConvInput<T> first_reading() const { return {shape, source, images}; }
  kernel::ConvInput<T> again() const { return {shape, {.x = stored}, images}; }
};

/// What passes through a network share.
template <class T>
struct NativeMemory {
  kernel::Workspace workspace;
  ActivationBuffers<T> buffers;
};

/// A part of a network and its state in one pass.
template <class T>
class NativeBlock {
 public:
  virtual ~NativeBlock() = default;

  /// The shape behind the part, and the size of its largest maps.
  virtual kernel::ActivationShape out_shape(const kernel::ActivationShape& in) const = 0;
  virtual int64_t largest(const kernel::ActivationShape& in) const = 0;

  virtual NativeActivations<T> forward(const NativeActivations<T>& input,
                                       NativeMemory<T>& memory) = 0;
  /// With running statistics; nothing is kept for backward.
  virtual NativeActivations<T> evaluate(const NativeActivations<T>& input,
                                        NativeMemory<T>& memory) = 0;

  /// What is to be done with the gradient of the part's output when it is written: `added` (which
  /// may be null) joins it, and it goes back through the ReLU. Null: nothing.
  virtual std::unique_ptr<kernel::Epilogue> gate(T* gradient, const T* added) = 0;
  /// `gradient`: by the output, gated. Returns the gradient by the input, gated for `before`, the
  /// part that made it; null where there is none.
  virtual const T* backward(const NativeActivations<T>& input, const T* gradient,
                            NativeBlock* before, NativeMemory<T>& memory) = 0;

  /// In the order of the modules.
  virtual std::vector<const NativeLayer<T>*> layers() const = 0;
};

template <class T>
std::unique_ptr<NativeBlock<T>> make_conv_block(const ConvBnReluSpec& plan);
template <class T>
std::unique_ptr<NativeBlock<T>> make_residual_block(const ResidualBlockSpec& plan);

}  // namespace projnce::encoder
