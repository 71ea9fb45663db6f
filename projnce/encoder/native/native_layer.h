#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "projnce/encoder/layers.h"
#include "projnce/kernel/conv/convolution.h"
#include "projnce/kernel/conv/epilogue.h"
#include "projnce/kernel/conv/workspace.h"

namespace projnce::encoder {

/// A batch-norm as the native engine sees it: sums over maps in, factors for each channel out.
template <class T>
class Normalizer {
 public:
  explicit Normalizer(BatchNorm norm);

  /// Statistics of this batch, or of all processes' batches, from sums of values and squares;
  /// updates the running ones.
  void learn(const kernel::ChannelSums& sums, int64_t values_per_channel);
  /// The running statistics.
  void use_running();

  /// normalized = scale * x + shift, of whole blocks of channels.
  const T* scale() const { return scale_.data(); }
  const T* shift() const { return shift_.data(); }

  /// From sums of g and g * x (`second`: of g and its other map), g being the gradient by what was
  /// normalized: sets the gradients of the parameters and of_x.
  void differentiate(const kernel::ChannelSums& sums, bool second);
  /// The gradient by x, made of g and x while it is read.
  kernel::InputTransform<T> of_x(const T* g, const T* x) const;

  const BatchNorm& module() const { return norm_; }
  torch::Tensor weight_gradient() const { return weight_gradient_; }
  torch::Tensor bias_gradient() const { return bias_gradient_; }

 private:
  size_t channels() const { return static_cast<size_t>(norm_->options.num_features()); }
  void join_processes();
  void remember();
  void set_factors();
  void set_gradient_factors(const T* both);

  BatchNorm norm_;
  double count_ = 0;  // values of a channel, of all processes
  // Of whole blocks of channels, 0 beyond the last; rate: 1 / deviation.
  std::vector<double> mean_, variance_, rate_;
  std::vector<T> scale_, shift_;
  std::vector<T> of_g_, of_x_, constant_;
  torch::Tensor weight_gradient_, bias_gradient_;
};

/// A convolution with its batch-norm, and the maps between the two of one pass through a network.
template <class T>
class NativeLayer {
 public:
  NativeLayer(torch::nn::Conv2d conv, BatchNorm norm);

  const kernel::ConvGeometry& geometry() const { return geometry_; }
  const kernel::ActivationShape& shape() const { return shape_; }
  /// What the convolution gave.
  const T* x() const { return static_cast<const T*>(maps_.data()); }
  const Normalizer<T>& norm() const { return norm_; }

  /// Convolves into own memory and learns the batch's statistics.
  void forward(const kernel::ConvInput<T>& input, kernel::Workspace& workspace);
  /// Convolves into `out` and normalizes by the running statistics: relu(normalized + shortcut);
  /// `shortcut` may be null. Returns out's shape.
  kernel::ActivationShape evaluate(const kernel::ConvInput<T>& input, T* out, const T* shortcut,
                                   bool relu, kernel::Workspace& workspace);

  /// The normalized maps, made while they are read.
  kernel::InputTransform<T> normalized(bool relu) const;
  /// Sums of a gradient that comes back to this layer, all 0.
  const kernel::ChannelSums& clear_sums();
  /// After the sums are there; `second`: where they stand for this layer's maps.
  void differentiate_norm(const kernel::ChannelSums& sums, bool second = false);
  /// g: the gradient by the normalized maps. `in_gradient` may be null.
  void backward(const kernel::ConvInput<T>& input, const T* g, T* in_gradient,
                const kernel::Epilogue* finish, kernel::Workspace& workspace);

  /// Weight, batch-norm's weight and bias.
  std::vector<torch::Tensor> parameters() const;
  /// Of the last backward, in the same order.
  std::vector<torch::Tensor> gradients() const;

 private:
  torch::Tensor weights() const;

  torch::nn::Conv2d conv_;
  Normalizer<T> norm_;
  kernel::ConvGeometry geometry_;
  kernel::ActivationShape shape_;
  kernel::PageBuffer maps_;
  std::vector<double> sum_memory_;
  std::optional<kernel::ChannelSums> sums_;
  std::vector<T> ones_;
  torch::Tensor weight_gradient_;
};

}  // namespace projnce::encoder
