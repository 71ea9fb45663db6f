#include "projnce/eval/linear_probe.h"

#include <torch/torch.h>

namespace projnce {

namespace {

constexpr double kVanished = 1e-5;  // largest entry of the gradient at the optimum

torch::Tensor standardized(const LinearProbe& probe, const torch::Tensor& rows) {
  return (rows - probe.mean) / probe.scale;
}

/// Minimises `objective` over the parameters; returns how often it was evaluated.
template <class Objective>
int64_t minimise(const std::vector<torch::Tensor>& parameters, int64_t max_iterations,
                 const Objective& objective) {
  torch::optim::LBFGS optimizer(parameters, torch::optim::LBFGSOptions(1.0)
                                                .max_iter(max_iterations)
                                                .max_eval(2 * max_iterations)
                                                .tolerance_grad(kVanished)
                                                .tolerance_change(1e-9)
                                                .history_size(20)
                                                .line_search_fn("strong_wolfe"));
  int64_t evaluations = 0;
  optimizer.step([&] {
    ++evaluations;
    optimizer.zero_grad();
    const auto value = objective();
    value.backward();
    return value;
  });
  return evaluations;
}

}  // namespace

torch::Tensor LinearProbe::scores(const torch::Tensor& rows) const {
  const torch::NoGradGuard no_gradient;
  return torch::addmm(bias, standardized(*this, rows), weights.t());
}

LinearProbe fit_linear_probe(const torch::Tensor& rows, const torch::Tensor& labels,
                             int64_t num_classes, const ProbeOptions& options) {
  LinearProbe probe;
  probe.mean = rows.mean(0);
  probe.scale = rows.std(0, /*unbiased=*/false).clamp_min(1e-6);  // a column may be constant
  probe.weights = torch::zeros({num_classes, rows.size(1)}, rows.options()).requires_grad_(true);
  probe.bias = torch::zeros({num_classes}, rows.options()).requires_grad_(true);
  const auto x = standardized(probe, rows);
  const double decay = options.penalty / static_cast<double>(rows.size(0));
  const auto objective = [&] {
    const auto logits = torch::addmm(probe.bias, x, probe.weights.t());
    return torch::nn::functional::cross_entropy(logits, labels) +
           decay / 2 * probe.weights.square().sum();
  };
  probe.evaluations = minimise({probe.weights, probe.bias}, options.max_iterations, objective);
  probe.converged = probe.weights.grad().abs().max().item<double>() <= 10 * kVanished;
  probe.weights = probe.weights.detach();
  probe.bias = probe.bias.detach();
  return probe;
}

}  // namespace projnce
