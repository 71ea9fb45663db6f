#include "projnce/encoder/batch_norm.h"

#include <torch/torch.h>

#include <vector>

namespace projnce {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// What every process knows of the whole batch, each but `count` [C].
struct SharedStatistics {
  torch::Tensor count;  // scalar: values of each channel
  torch::Tensor mean;
  torch::Tensor variance;  // biased
};

std::vector<int64_t> all_but_channels(const torch::Tensor& rows) {
  return rows.dim() == 2 ? std::vector<int64_t>{0} : std::vector<int64_t>{0, 2, 3};
}

/// [C] so that it fits the rows' channels.
torch::Tensor as_channels(const torch::Tensor& values, const torch::Tensor& rows) {
  return rows.dim() == 2 ? values.view({1, -1}) : values.view({1, -1, 1, 1});
}

/// Two passes: squares of values far from zero would cancel.
SharedStatistics measure(const torch::Tensor& rows, const SumOverProcesses& sum) {
  const auto dims = all_but_channels(rows);
  const auto own = static_cast<double>(rows.numel() / rows.size(1));
  const auto sums = sum(torch::cat({rows.sum(dims), torch::full({1}, own, rows.options())}));
  const auto count = sums[-1];
  const auto mean = sums.narrow(0, 0, rows.size(1)) / count;
  const auto squares = sum((rows - as_channels(mean, rows)).square().sum(dims));
  return {count, mean, squares / count};
}

/// Normalises by statistics of all processes; its gradient knows that they depend on the rows.
class SharedNormalization : public torch::autograd::Function<SharedNormalization> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& rows,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const SharedStatistics& statistics, double epsilon,
                               const SumOverProcesses* sum) {
    const auto rate = (statistics.variance + epsilon).rsqrt();  // [C]
    const auto scale = rate * weight;
    context->save_for_backward({rows, weight, statistics.mean, rate, statistics.count});
    // The module that owns the function outlives every graph of its outputs.
    context->saved_data["sum"] = reinterpret_cast<int64_t>(sum);
    return torch::addcmul(as_channels(bias - statistics.mean * scale, rows), rows,
                          as_channels(scale, rows));
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto &rows = saved[0], &weight = saved[1], &mean = saved[2], &rate = saved[3];
    const auto& sum =
        *reinterpret_cast<const SumOverProcesses*>(context->saved_data["sum"].toInt());
    const auto& given = gradients[0];
    const auto dims = all_but_channels(rows);
    const auto normalized = (rows - as_channels(mean, rows)) * as_channels(rate, rows);
    const auto of_bias = given.sum(dims);
    const auto of_weight = (given * normalized).sum(dims);
    const auto means = sum(torch::stack({of_bias, of_weight})) / saved[4];  // of the whole batch
    const auto centred = given - as_channels(means[0], rows);
    const auto of_rows = torch::addcmul(centred, normalized, as_channels(means[1], rows), -1) *
                         as_channels(weight * rate, rows);
    return {of_rows, of_weight, of_bias, {}, {}, {}};
  }
};

}  // namespace

BatchNormImpl::BatchNormImpl(int64_t channels)
    : NormImplBase(torch::nn::BatchNormOptions(channels)) {}

void BatchNormImpl::_check_input_dim(const torch::Tensor& input) {
  TORCH_CHECK(input.dim() == 2 || input.dim() == 4, "BatchNorm takes [N, C] or [N, C, H, W], not ",
              input.sizes());
}

torch::Tensor BatchNormImpl::forward(const torch::Tensor& input) {
  _check_input_dim(input);
  if (is_training()) num_batches_tracked += 1;
  if (sum_ && is_training()) return normalize_shared(input);
  namespace F = torch::nn::functional;
  return F::batch_norm(input, running_mean, running_var,
                       F::BatchNormFuncOptions()
                           .weight(weight)
                           .bias(bias)
                           .training(is_training())
                           .momentum(options.momentum())
                           .eps(options.eps()));
}

torch::Tensor BatchNormImpl::normalize_shared(const torch::Tensor& input) {
  SharedStatistics statistics;
  {
    const torch::NoGradGuard no_grad;
    statistics = measure(input, sum_);
    const double momentum = options.momentum().value();
    const auto unbiased = statistics.variance * (statistics.count / (statistics.count - 1));
    running_mean.lerp_(statistics.mean, momentum);
    running_var.lerp_(unbiased, momentum);
  }
  return SharedNormalization::apply(input, weight, bias, statistics, options.eps(), &sum_);
}

void share_batch_statistics(torch::nn::Module& module, const SumOverProcesses& sum) {
  for (const auto& part : module.modules()) {
    if (auto* norm = part->as<BatchNormImpl>()) norm->share_statistics(sum);
  }
}

}  // namespace projnce
