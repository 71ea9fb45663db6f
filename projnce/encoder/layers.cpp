#include "projnce/encoder/layers.h"

#include <torch/autograd.h>
#include <torch/nn/functional/batchnorm.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <tuple>
#include <vector>

namespace projnce::encoder {

torch::nn::Conv2d make_conv(int64_t in_channels, int64_t out_channels, int64_t kernel,
                            int64_t stride) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in_channels, out_channels, kernel)
                               .stride(stride)
                               .padding(kernel / 2)
                               .bias(false));
}

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Reshapes [C] to broadcast over the channels of `rows`.
torch::Tensor as_channels(const torch::Tensor& values, const torch::Tensor& rows) {
  return rows.dim() == 2 ? values.view({1, -1}) : values.view({1, -1, 1, 1});
}

/// Returns [3, C]: count, mean and sum of squared deviations from the mean of each channel.
torch::Tensor local_moments(const torch::Tensor& rows) {
  const auto channels = rows.size(1);
  if (rows.numel() == 0) return torch::zeros({3, channels}, rows.options());
  const auto count = static_cast<double>(rows.numel() / channels);
  const auto [mean, variance] = at::batch_norm_update_stats(rows, {}, {}, /*momentum=*/0);
  return torch::stack({torch::full({channels}, count, rows.options()), mean, variance * count});
}

/// Normalizes with the statistics of all processes. The gradient includes the dependence of the
/// statistics on the rows.
class SyncNormalization : public torch::autograd::Function<SyncNormalization> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& rows,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const BatchStatistics& statistics, double epsilon,
                               const GatherOverProcesses* gather) {
    context->save_for_backward(
        {rows, weight, statistics.mean, statistics.variance, statistics.count});
    context->saved_data["epsilon"] = epsilon;
    // The module that owns `gather` outlives every graph of its outputs.
    context->saved_data["gather"] = reinterpret_cast<int64_t>(gather);
    if (rows.numel() == 0) return torch::empty_like(rows);
    return torch::batch_norm(rows, weight, bias, statistics.mean, statistics.variance,
                             /*training=*/false, /*momentum=*/0, epsilon, /*cudnn_enabled=*/false);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto &rows = saved[0], &weight = saved[1], &mean = saved[2], &variance = saved[3];
    const double epsilon = context->saved_data["epsilon"].toDouble();
    const auto& gather =
        *reinterpret_cast<const GatherOverProcesses*>(context->saved_data["gather"].toInt());
    auto [grad_rows, grad_weight, grad_bias] = fixed_gradients(gradients[0], saved, epsilon);
    const auto means =
        gather(torch::stack({grad_bias, grad_weight})).sum(0) / saved[4];  // over the whole batch
    if (rows.numel() > 0) {
      // The dependence through mean and variance has the form a + b * row in each channel.
      const auto rate = (variance + epsilon).rsqrt();
      const auto slope = weight * rate * rate * means[1];
      grad_rows.addcmul_(rows, as_channels(slope, rows), -1);
      grad_rows.sub_(as_channels(weight * rate * means[0] - slope * mean, rows));
    }
    return {grad_rows, grad_weight, grad_bias, {}, {}, {}};
  }

 private:
  /// Gradients with mean and variance as constants.
  static std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> fixed_gradients(
      const torch::Tensor& given, const variable_list& saved, double epsilon) {
    const auto &rows = saved[0], &weight = saved[1];
    if (rows.numel() == 0) {
      return {torch::empty_like(rows), torch::zeros_like(weight), torch::zeros_like(weight)};
    }
    return at::native_batch_norm_backward(given, rows, weight, saved[2], saved[3], {}, {},
                                          /*train=*/false, epsilon, {true, true, true});
  }
};

}  // namespace

BatchStatistics combine_moments(const torch::Tensor& all) {
  const auto counts = all.select(1, 0);
  const auto means = all.select(1, 1);
  const auto count = counts.sum(0);
  const auto mean = (counts * means).sum(0) / count;
  const auto squares = (all.select(1, 2) + counts * (means - mean).square()).sum(0);
  return {count[0], mean, squares / count};
}

BatchNormImpl::BatchNormImpl(int64_t channels)
    : NormImplBase(torch::nn::BatchNormOptions(channels)) {}

void BatchNormImpl::_check_input_dim(const torch::Tensor& input) {
  TORCH_CHECK(input.dim() == 2 || input.dim() == 4,
              "BatchNorm: expected [N, C] or [N, C, H, W], got ", input.sizes());
}

torch::Tensor BatchNormImpl::forward(const torch::Tensor& input) {
  _check_input_dim(input);
  if (is_training()) num_batches_tracked += 1;
  if (gather_ && is_training()) return normalize_synced(input);
  namespace F = torch::nn::functional;
  return F::batch_norm(input, running_mean, running_var,
                       F::BatchNormFuncOptions()
                           .weight(weight)
                           .bias(bias)
                           .training(is_training())
                           .momentum(options.momentum().value())
                           .eps(options.eps()));
}

torch::Tensor BatchNormImpl::normalize_synced(const torch::Tensor& input) {
  BatchStatistics statistics;
  {
    const torch::NoGradGuard no_grad;
    statistics = combine_moments(gather_(local_moments(input)));
    const double momentum = options.momentum().value();
    const auto unbiased = statistics.variance * (statistics.count / (statistics.count - 1));
    running_mean.lerp_(statistics.mean, momentum);
    running_var.lerp_(unbiased, momentum);
  }
  return SyncNormalization::apply(input, weight, bias, statistics, options.eps(), &gather_);
}

void sync_batch_statistics(torch::nn::Module& module, const GatherOverProcesses& gather) {
  for (const auto& part : module.modules()) {
    if (auto* norm = part->as<BatchNormImpl>()) norm->sync_statistics(gather);
  }
}

}  // namespace projnce::encoder
