#include "projnce/encoder/native/native_layer.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "projnce/encoder/layers.h"

namespace projnce::encoder {

template <class T>
Normalizer<T>::Normalizer(BatchNorm norm) : norm_(std::move(norm)) {
  const auto size =
      static_cast<size_t>(kernel::blocks_of(norm_->options.num_features()) * kernel::kChannelBlock);
  for (auto* numbers : {&scale_, &shift_, &grad_scale_, &input_scale_, &grad_shift_})
    numbers->assign(size, T(0));
  for (auto* numbers : {&mean_, &variance_, &rate_}) numbers->assign(size, 0);
}

template <class T>
void Normalizer<T>::update_statistics(const kernel::ChannelSums& sums, int64_t values_per_channel) {
  const size_t stride = mean_.size();
  std::vector<double> totals(2 * stride);
  sums.total(2, totals.data());
  count_ = static_cast<double>(values_per_channel);
  for (size_t c = 0; c < channels(); ++c) {
    mean_[c] = totals[c] / count_;
    const double variance = totals[stride + c] / count_ - mean_[c] * mean_[c];
    variance_[c] = variance < 0 ? 0 : variance;  // negative by rounding; keeps NaN
  }
  if (norm_->gather()) sync_statistics();
  TORCH_CHECK(count_ > 1, "batch-norm: expected more than 1 value per channel when training");
  update_running_statistics();
  set_factors();
}

/// Replaces the local statistics by those of all processes.
template <class T>
void Normalizer<T>::sync_statistics() {
  const torch::NoGradGuard no_grad;
  auto moments = torch::empty({3, norm_->options.num_features()}, torch::kDouble);
  auto rows = moments.template accessor<double, 2>();
  for (size_t c = 0; c < channels(); ++c) {
    const auto at = static_cast<int64_t>(c);
    rows[0][at] = count_;
    rows[1][at] = mean_[c];
    rows[2][at] = variance_[c] * count_;
  }
  const auto all = norm_->gather()(moments.to(norm_->weight.scalar_type()));
  const auto joined = combine_moments(all.to(torch::kDouble));
  count_ = joined.count.template item<double>();
  std::copy_n(joined.mean.template data_ptr<double>(), channels(), mean_.begin());
  std::copy_n(joined.variance.template data_ptr<double>(), channels(), variance_.begin());
}

/// Updates the running statistics with those of the batch.
template <class T>
void Normalizer<T>::update_running_statistics() {
  const double momentum = norm_->options.momentum().value();
  const double unbiased = count_ / (count_ - 1);
  T* means = norm_->running_mean.template data_ptr<T>();
  T* variances = norm_->running_var.template data_ptr<T>();
  const auto move = [&](T& running, double now) {
    running = static_cast<T>(running + momentum * (now - running));
  };
  for (size_t c = 0; c < channels(); ++c) {
    move(means[c], mean_[c]);
    move(variances[c], variance_[c] * unbiased);
  }
  norm_->num_batches_tracked += 1;
}

template <class T>
void Normalizer<T>::use_running() {
  std::copy_n(norm_->running_mean.template data_ptr<T>(), channels(), mean_.begin());
  std::copy_n(norm_->running_var.template data_ptr<T>(), channels(), variance_.begin());
  set_factors();
}

template <class T>
void Normalizer<T>::set_factors() {
  const auto* weight = norm_->weight.template data_ptr<T>();
  const auto* bias = norm_->bias.template data_ptr<T>();
  for (size_t c = 0; c < channels(); ++c) {
    rate_[c] = 1 / std::sqrt(variance_[c] + norm_->options.eps());
    const double scale = weight[c] * rate_[c];
    scale_[c] = static_cast<T>(scale);
    shift_[c] = static_cast<T>(bias[c] - mean_[c] * scale);
  }
}

template <class T>
void Normalizer<T>::backward(const kernel::ChannelSums& sums, bool second) {
  const torch::NoGradGuard no_grad;
  const size_t stride = mean_.size();
  std::vector<double> totals(kernel::ChannelSums::kMaxKinds * stride);
  sums.total(kernel::ChannelSums::kMaxKinds, totals.data());
  const double* with_x = totals.data() + (second ? 2 : 1) * stride;
  auto both = torch::empty({2, norm_->options.num_features()}, norm_->weight.options());
  T* grad_bias = both.template data_ptr<T>();
  T* grad_weight = grad_bias + channels();
  for (size_t c = 0; c < channels(); ++c) {
    grad_bias[c] = static_cast<T>(totals[c]);
    grad_weight[c] = static_cast<T>((with_x[c] - mean_[c] * totals[c]) * rate_[c]);
  }
  bias_gradient_ = both[0];
  weight_gradient_ = both[1];
  const auto whole = norm_->gather() ? norm_->gather()(both).sum(0) : both;
  set_gradient_factors(whole.template data_ptr<T>());
}

/// Uses the gradients of bias and weight over the batch of all processes.
template <class T>
void Normalizer<T>::set_gradient_factors(const T* both) {
  for (size_t c = 0; c < channels(); ++c) {
    const double grad_scale = static_cast<double>(scale_[c]);
    const double input_scale = -grad_scale * rate_[c] * both[channels() + c] / count_;
    grad_scale_[c] = static_cast<T>(grad_scale);
    input_scale_[c] = static_cast<T>(input_scale);
    grad_shift_[c] = static_cast<T>(-grad_scale * both[c] / count_ - input_scale * mean_[c]);
  }
}

template <class T>
kernel::InputTransform<T> Normalizer<T>::input_gradient(const T* g, const T* x) const {
  return {.x = g,
          .scale = grad_scale_.data(),
          .shift = grad_shift_.data(),
          .other = x,
          .other_scale = input_scale_.data()};
}

template class Normalizer<float>;
template class Normalizer<double>;

namespace {

kernel::ConvGeometry geometry_of(const torch::nn::Conv2d& conv) {
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
      ones_(static_cast<size_t>(kernel::blocks_of(geometry_.out_channels) * kernel::kChannelBlock),
            T(1)) {}

/// Returns the weights in channels-last layout; does not copy if they already have it.
template <class T>
torch::Tensor NativeLayer<T>::weights() const {
  return conv_->weight.detach().contiguous(torch::MemoryFormat::ChannelsLast);
}

template <class T>
void NativeLayer<T>::forward(const kernel::ConvInput<T>& input, kernel::Workspace& workspace) {
  shape_ = geometry_.out_shape(input.shape);
  const int64_t bytes = shape_.size() * static_cast<int64_t>(sizeof(T));
  if (maps_.bytes() < bytes) maps_ = kernel::PageBuffer(bytes);
  const auto& sums = clear_sums();
  const kernel::SumSquares<T> epilogue(shape_, x(), sums);
  const auto weights = this->weights();
  kernel::conv_forward<T>({.geometry = geometry_,
                           .input = input,
                           .weights = weights.template data_ptr<T>(),
                           .out = static_cast<T*>(maps_.data()),
                           .epilogue = &epilogue},
                          workspace);
  norm_.update_statistics(sums, shape_.images * shape_.pixels());
}

template <class T>
kernel::ActivationShape NativeLayer<T>::evaluate(const kernel::ConvInput<T>& input, T* out,
                                                 const T* shortcut, bool relu,
                                                 kernel::Workspace& workspace) {
  const kernel::ActivationShape shape = geometry_.out_shape(input.shape);
  norm_.use_running();
  const kernel::Activate<T> epilogue(shape, out,
                                     {.x = out,
                                      .scale = norm_.scale(),
                                      .shift = norm_.shift(),
                                      .other = shortcut,
                                      .other_scale = ones_.data(),
                                      .relu = relu});
  const auto weights = this->weights();
  kernel::conv_forward<T>({.geometry = geometry_,
                           .input = input,
                           .weights = weights.template data_ptr<T>(),
                           .out = out,
                           .epilogue = &epilogue},
                          workspace);
  return shape;
}

template <class T>
kernel::InputTransform<T> NativeLayer<T>::normalized(bool relu) const {
  return {.x = x(), .scale = norm_.scale(), .shift = norm_.shift(), .relu = relu};
}

template <class T>
const kernel::ChannelSums& NativeLayer<T>::clear_sums() {
  sum_memory_.resize(static_cast<size_t>(kernel::ChannelSums::size(shape_)));
  return sums_.emplace(shape_, sum_memory_.data());
}

template <class T>
void NativeLayer<T>::backward_norm(const kernel::ChannelSums& sums, bool second) {
  norm_.backward(sums, second);
}

template <class T>
void NativeLayer<T>::backward(const kernel::ConvInput<T>& input, const T* g, T* in_gradient,
                              const kernel::Epilogue* epilogue, kernel::Workspace& workspace) {
  const auto weights = this->weights();
  weight_gradient_ = torch::empty_like(weights);
  kernel::conv_backward<T>({.geometry = geometry_,
                            .input = input,
                            .gradient = norm_.input_gradient(g, x()),
                            .weights = weights.template data_ptr<T>(),
                            .in_gradient = in_gradient,
                            .epilogue = epilogue,
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

}  // namespace projnce::encoder
