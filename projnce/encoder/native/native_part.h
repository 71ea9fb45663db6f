#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "projnce/encoder/native/map_buffers.h"
#include "projnce/encoder/native/native_layer.h"
#include "projnce/encoder/native/trunk_plan.h"

namespace projnce {

/// Maps on their way from one part to the next. Who reads them first stores them too.
template <class T>
struct NativeMaps {
  MapShape shape;
  MapSource<T> source;
  const T* stored = nullptr;  ///< where the first reader stores them
  const T* images = nullptr;  ///< the network's input instead

  ConvInput<T> first_reading() const { return {shape, source, images}; }
  ConvInput<T> again() const { return {shape, {.x = stored}, images}; }
};

/// What passes through a network share.
template <class T>
struct NativeMemory {
  Workspace workspace;
  MapBuffers<T> buffers;
};

/// A part of a network and its state in one pass.
template <class T>
class NativePart {
 public:
  virtual ~NativePart() = default;

  /// The shape behind the part, and the size of its largest maps.
  virtual MapShape out_shape(const MapShape& in) const = 0;
  virtual int64_t largest(const MapShape& in) const = 0;

  virtual NativeMaps<T> forward(const NativeMaps<T>& input, NativeMemory<T>& memory) = 0;
  /// With running statistics; nothing is kept for backward.
  virtual NativeMaps<T> evaluate(const NativeMaps<T>& input, NativeMemory<T>& memory) = 0;

  /// What is to be done with the gradient of the part's output when it is written: `added` (which
  /// may be null) joins it, and it goes back through the ReLU. Null: nothing.
  virtual std::unique_ptr<MapFinish> gate(T* gradient, const T* added) = 0;
  /// `gradient`: by the output, gated. Returns the gradient by the input, gated for `before`, the
  /// part that made it; null where there is none.
  virtual const T* backward(const NativeMaps<T>& input, const T* gradient, NativePart* before,
                            NativeMemory<T>& memory) = 0;

  /// In the order of the modules.
  virtual std::vector<const NativeLayer<T>*> layers() const = 0;
};

template <class T>
std::unique_ptr<NativePart<T>> make_plain_part(const PlainPlan& plan);
template <class T>
std::unique_ptr<NativePart<T>> make_residual_part(const ResidualPlan& plan);

}  // namespace projnce
