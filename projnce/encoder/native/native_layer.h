#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "projnce/encoder/layers.h"
#include "projnce/kernel/conv/convolution.h"
#include "projnce/kernel/conv/epilogue.h"

namespace projnce::encoder {

/// Batch-norm of the native engine: turns sums over feature maps into scale and shift per channel.
template <class T>
class Normalizer {
 public:
  explicit Normalizer(BatchNorm norm);

  /// Computes the statistics of this batch (or of all processes) from sums of values and squares,
  /// and updates the running statistics.
  void update_statistics(const kernel::ChannelSums& sums, int64_t values_per_channel);
  /// Uses the running statistics.
  void use_running();

  /// normalized = scale * x + shift; arrays cover whole blocks of channels.
  const T* scale() const { return scale_.data(); }
  const T* shift() const { return shift_.data(); }

  /// Computes the gradients of the parameters and the factors of input_gradient from the sums of g
  /// and g * x, where g is the gradient of the normalized values. If `second` is true, uses the
  /// third sum, g * second, instead of g * x.
  void backward(const kernel::ChannelSums& sums, bool second);
  /// The gradient of x, computed from g and x when it is read.
  kernel::InputTransform<T> input_gradient(const T* g, const T* x) const;

  const BatchNorm& module() const { return norm_; }
  torch::Tensor weight_gradient() const { return weight_gradient_; }
  torch::Tensor bias_gradient() const { return bias_gradient_; }

 private:
  size_t channels() const { return static_cast<size_t>(norm_->options.num_features()); }
  void sync_statistics();
  void update_running_statistics();
  void set_factors();
  void set_gradient_factors(const T* both);

  BatchNorm norm_;
  double count_ = 0;  // values per channel over all processes
  // Cover whole blocks of channels, 0 beyond the last; rate is 1 / standard deviation.
  std::vector<double> mean_, variance_, rate_;
  std::vector<T> scale_, shift_;
  std::vector<T> grad_scale_, input_scale_, grad_shift_;
  torch::Tensor weight_gradient_, bias_gradient_;
};

/// A convolution with its batch-norm, and the convolution output of one pass.
template <class T>
class NativeLayer {
 public:
  NativeLayer(torch::nn::Conv2d conv, BatchNorm norm);

  const kernel::ConvGeometry& geometry() const { return geometry_; }
  const kernel::ActivationShape& shape() const { return shape_; }
  /// Output of the convolution.
  const T* x() const { return static_cast<const T*>(maps_.data()); }
  const Normalizer<T>& norm() const { return norm_; }

  /// Computes the convolution into internal memory, and the batch statistics.
  void forward(const kernel::ConvInput<T>& input, kernel::Workspace& workspace);
  /// Computes out = relu(normalized + shortcut) with the running statistics; `shortcut` may be
  /// null. Returns the shape of `out`.
  kernel::ActivationShape evaluate(const kernel::ConvInput<T>& input, T* out, const T* shortcut,
                                   bool relu, kernel::Workspace& workspace);

  /// The normalized feature maps, computed when they are read.
  kernel::InputTransform<T> normalized(bool relu) const;
  /// Returns zeroed sums for the gradient of this layer's output.
  const kernel::ChannelSums& clear_sums();
  /// Call after the sums are complete. `second`: see Normalizer.
  void backward_norm(const kernel::ChannelSums& sums, bool second = false);
  /// `g` is the gradient of the normalized feature maps. `in_gradient` may be null.
  void backward(const kernel::ConvInput<T>& input, const T* g, T* in_gradient,
                const kernel::Epilogue* epilogue, kernel::Workspace& workspace);

  /// Returns the convolution weight and the batch-norm weight and bias.
  std::vector<torch::Tensor> parameters() const;
  /// Returns the gradients of the last backward, in the same order.
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
