#include "projnce/eval/linear_probe.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <vector>

#include "projnce/eval/lbfgs.h"

namespace projnce::eval {

namespace {

constexpr LbfgsOptions kProbeSearch{.max_steps = 500, .tolerance = 1e-9};

torch::Tensor standardized(const LinearProbe& probe, const torch::Tensor& rows) {
  return (rows - probe.mean) / probe.scale;
}

/// The objective as a function of weights and biases, [C, D + 1], biases last.
class ProbeObjective {
 public:
  ProbeObjective(torch::Tensor rows, const torch::Tensor& labels, int64_t num_classes,
                 double penalty)
      : rows_(std::move(rows)),
        wanted_(torch::one_hot(labels, num_classes).to(rows_.dtype())),
        decay_(penalty / static_cast<double>(labels.size(0))) {}

  std::vector<int64_t> shape() const { return {wanted_.size(1), rows_.size(1) + 1}; }

  double operator()(const std::vector<double>& point, std::vector<double>& gradient) const {
    const auto parameters = view(point);
    const auto weights = parameters.narrow(1, 0, rows_.size(1));
    const auto logits = torch::addmm(parameters.select(1, rows_.size(1)).to(rows_.dtype()), rows_,
                                     weights.to(rows_.dtype()).t());
    const auto log_shares = logits.log_softmax(1);
    const auto count = static_cast<double>(rows_.size(0));
    const auto error = (log_shares.exp() - wanted_) / count;  // [N, C]

    auto slopes = view(gradient);
    slopes.narrow(1, 0, rows_.size(1)).copy_(error.t().mm(rows_)).add_(weights, decay_);
    slopes.select(1, rows_.size(1)).copy_(error.sum(0));
    const auto entropy = -(log_shares * wanted_).sum(torch::kFloat64).item<double>() / count;
    return entropy + decay_ / 2 * weights.square().sum().item<double>();
  }

 private:
  torch::Tensor view(const std::vector<double>& values) const {
    return torch::from_blob(const_cast<double*>(values.data()), shape(), torch::kFloat64);
  }

  torch::Tensor rows_;
  torch::Tensor wanted_;  // [N, C], one-hot
  double decay_;
};

}  // namespace

torch::Tensor LinearProbe::scores(const torch::Tensor& rows) const {
  const torch::NoGradGuard no_gradient;
  return torch::addmm(bias, standardized(*this, rows), weights.t());
}

LinearProbe fit_linear_probe(const torch::Tensor& rows, const torch::Tensor& labels,
                             int64_t num_classes, double penalty) {
  const torch::NoGradGuard no_gradient;
  LinearProbe probe;
  probe.mean = rows.mean(0);
  probe.scale = rows.std(0, /*unbiased=*/false).clamp_min(1e-6);  // a column may be constant
  const ProbeObjective objective(standardized(probe, rows), labels, num_classes, penalty);
  std::vector<double> point(static_cast<size_t>(num_classes * (rows.size(1) + 1)), 0.0);
  minimize_lbfgs([&](const auto& at, auto& gradient) { return objective(at, gradient); }, point,
                 kProbeSearch);
  const auto parameters = torch::from_blob(point.data(), objective.shape(), torch::kFloat64)
                              .to(rows.dtype(), false, true);
  probe.weights = parameters.narrow(1, 0, rows.size(1)).contiguous();
  probe.bias = parameters.select(1, rows.size(1)).contiguous();
  return probe;
}

}  // namespace projnce::eval
