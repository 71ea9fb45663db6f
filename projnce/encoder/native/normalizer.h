#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "projnce/encoder/batch_norm.h"
#include "projnce/kernel/conv/map_finish.h"

namespace projnce {

/// A batch-norm as the native engine sees it: sums over maps in, factors for each channel out.
template <class T>
class Normalizer {
 public:
  explicit Normalizer(BatchNorm norm);

  /// Statistics of this batch, or of all processes' batches, from sums of values and squares;
  /// updates the running ones.
  void learn(const ChannelSums& sums, int64_t values_per_channel);
  /// The running statistics.
  void use_running();

  /// normalised = scale * x + shift, of whole blocks of channels.
  const T* scale() const { return scale_.data(); }
  const T* shift() const { return shift_.data(); }

  /// From sums of g and g * x (`second`: of g and its other map), g being the gradient by what was
  /// normalised: sets the gradients of the parameters and of_x.
  void differentiate(const ChannelSums& sums, bool second);
  /// The gradient by x, made of g and x while it is read.
  MapSource<T> of_x(const T* g, const T* x) const;

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

}  // namespace projnce
