#pragma once

#include <torch/types.h>

#include <optional>
#include <vector>

#include "projnce/encoder/conv.h"
#include "projnce/encoder/native/normalizer.h"
#include "projnce/kernel/conv/convolution.h"
#include "projnce/kernel/conv/page_buffer.h"

namespace projnce {

/// A convolution with its batch-norm, and the maps between the two of one pass through a network.
template <class T>
class NativeLayer {
 public:
  NativeLayer(torch::nn::Conv2d conv, BatchNorm norm);

  const ConvGeometry& geometry() const { return geometry_; }
  const MapShape& shape() const { return shape_; }
  /// What the convolution gave.
  const T* x() const { return static_cast<const T*>(maps_.data()); }
  const Normalizer<T>& norm() const { return norm_; }

  /// Convolves into own memory and learns the batch's statistics.
  void forward(const ConvInput<T>& input, Workspace& workspace);
  /// Convolves into `out` and normalises by the running statistics: relu(normalised + shortcut);
  /// `shortcut` may be null. Returns out's shape.
  MapShape evaluate(const ConvInput<T>& input, T* out, const T* shortcut, bool relu,
                    Workspace& workspace);

  /// The normalised maps, made while they are read.
  MapSource<T> normalized(bool relu) const;
  /// Sums of a gradient that comes back to this layer, all 0.
  const ChannelSums& clear_sums();
  /// After the sums are there; `second`: where they stand for this layer's maps.
  void differentiate_norm(const ChannelSums& sums, bool second = false);
  /// g: the gradient by the normalised maps. `in_gradient` may be null.
  void backward(const ConvInput<T>& input, const T* g, T* in_gradient, const MapFinish* finish,
                Workspace& workspace);

  /// Weight, batch-norm's weight and bias.
  std::vector<torch::Tensor> parameters() const;
  /// Of the last backward, in the same order.
  std::vector<torch::Tensor> gradients() const;

 private:
  torch::Tensor weights() const;

  torch::nn::Conv2d conv_;
  Normalizer<T> norm_;
  ConvGeometry geometry_;
  MapShape shape_;
  PageBuffer maps_;
  std::vector<double> sum_memory_;
  std::optional<ChannelSums> sums_;
  std::vector<T> ones_;
  torch::Tensor weight_gradient_;
};

}  // namespace projnce
