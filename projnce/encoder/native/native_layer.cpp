#include "projnce/encoder/native/native_layer.h"

#include <torch/types.h>

#include <utility>

namespace projnce {

namespace {

ConvGeometry geometry_of(const torch::nn::Conv2d& conv) {
  const auto& options = conv->options;
  return {.in_channels = options.in_channels(),
          .out_channels = options.out_channels(),
          .kernel = options.kernel_size()->at(0),
          .stride = options.stride()->at(0)};
}

}  // namespace

template <class T>
NativeLayer<T>::NativeLayer(torch::nn::Conv2d conv, BatchNorm norm)
    : conv_(std::move(conv)),
      norm_(std::move(norm)),
      geometry_(geometry_of(conv_)),
      ones_(static_cast<size_t>(blocks_of(geometry_.out_channels) * kChannelBlock), T(1)) {}

/// In the layout that the kernels read; the weights themselves where they are kept channels-last.
template <class T>
torch::Tensor NativeLayer<T>::weights() const {
  return conv_->weight.detach().contiguous(torch::MemoryFormat::ChannelsLast);
}

template <class T>
void NativeLayer<T>::forward(const ConvInput<T>& input, Workspace& workspace) {
  shape_ = geometry_.out_shape(input.shape);
  const int64_t bytes = shape_.size() * static_cast<int64_t>(sizeof(T));
  if (maps_.bytes() < bytes) maps_ = PageBuffer(bytes);
  const auto& sums = clear_sums();
  const SumSquares<T> finish(shape_, x(), sums);
  const auto weights = this->weights();
  conv_forward<T>({.geometry = geometry_,
                   .input = input,
                   .weights = weights.template data_ptr<T>(),
                   .out = static_cast<T*>(maps_.data()),
                   .finish = &finish},
                  workspace);
  norm_.learn(sums, shape_.images * shape_.pixels());
}

template <class T>
MapShape NativeLayer<T>::evaluate(const ConvInput<T>& input, T* out, const T* shortcut, bool relu,
                                  Workspace& workspace) {
  const MapShape shape = geometry_.out_shape(input.shape);
  norm_.use_running();
  const Activate<T> finish(shape, out,
                           {.x = out,
                            .scale = norm_.scale(),
                            .shift = norm_.shift(),
                            .other = shortcut,
                            .other_scale = ones_.data(),
                            .relu = relu});
  const auto weights = this->weights();
  conv_forward<T>({.geometry = geometry_,
                   .input = input,
                   .weights = weights.template data_ptr<T>(),
                   .out = out,
                   .finish = &finish},
                  workspace);
  return shape;
}

template <class T>
MapSource<T> NativeLayer<T>::normalized(bool relu) const {
  return {.x = x(), .scale = norm_.scale(), .shift = norm_.shift(), .relu = relu};
}

template <class T>
const ChannelSums& NativeLayer<T>::clear_sums() {
  sum_memory_.resize(static_cast<size_t>(ChannelSums::size(shape_)));
  return sums_.emplace(shape_, sum_memory_.data());
}

template <class T>
void NativeLayer<T>::differentiate_norm(const ChannelSums& sums, bool second) {
  norm_.differentiate(sums, second);
}

template <class T>
void NativeLayer<T>::backward(const ConvInput<T>& input, const T* g, T* in_gradient,
                              const MapFinish* finish, Workspace& workspace) {
  const auto weights = this->weights();
  weight_gradient_ = torch::empty_like(weights);
  conv_backward<T>({.geometry = geometry_,
                    .input = input,
                    .gradient = norm_.of_x(g, x()),
                    .weights = weights.template data_ptr<T>(),
                    .in_gradient = in_gradient,
                    .finish = finish,
                    .weight_gradient = weight_gradient_.template data_ptr<T>()},
                   workspace);
}

template <class T>
std::vector<torch::Tensor> NativeLayer<T>::parameters() const {
  return {conv_->weight, norm_.module()->weight, norm_.module()->bias};
}

template <class T>
std::vector<torch::Tensor> NativeLayer<T>::gradients() const {
  return {weight_gradient_, norm_.weight_gradient(), norm_.bias_gradient()};
}

template class NativeLayer<float>;
template class NativeLayer<double>;

}  // namespace projnce
