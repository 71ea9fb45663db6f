#include "projnce/eval/calibration.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>

#include "projnce/eval/accuracy.h"

namespace projnce::eval {

double calibration_error(const torch::Tensor& probabilities, const torch::Tensor& labels,
                         int64_t bins) {
  const auto predicted = predict_class(probabilities);
  const auto sure = probabilities.gather(1, predicted.unsqueeze(1)).squeeze(1).to(torch::kFloat64);
  const auto right = predicted.eq(labels).to(torch::kFloat64);
  const auto bin = (sure * static_cast<double>(bins)).to(torch::kInt64).clamp(0, bins - 1);
  const auto gaps = torch::zeros({bins}, torch::kFloat64).index_add(0, bin, right - sure);
  return gaps.abs().sum().item<double>() / static_cast<double>(labels.size(0));
}

namespace {

// Bounds of log T: cosines / 1e-3 are effectively one-hot, logits / 1e3 effectively uniform.
constexpr double kSharpest = -7;
constexpr double kFlattest = 7;
constexpr int kSearchSteps = 40;  // reduce the interval to 6e-8

/// Cross entropy of softmax(scores * b + offset) with smoothed labels, which is convex in b = 1 /
/// T.
class SmoothedEntropy {
 public:
  SmoothedEntropy(const torch::Tensor& scores, const torch::Tensor& labels,
                  const torch::Tensor& offset)
      : scores_(scores), offset_(offset), absent_(scores.isinf()) {
    const auto rows = static_cast<double>(scores.size(0));
    const auto own = torch::zeros_like(scores).scatter_(1, labels.unsqueeze(1), 1.0);
    const auto others = (1 - own).masked_fill(absent_, 0.0);
    const double rest = 1 / (rows + 2);
    targets_ = own * (1 - rest) + others * (rest / others.sum(1, true).clamp_min(1));
  }

  double operator()(double log_temperature) const {
    const auto log_shares = (scores_ * std::exp(-log_temperature) + offset_).log_softmax(1);
    return -(targets_ * log_shares.masked_fill(absent_, 0.0)).sum().item<double>();
  }

 private:
  torch::Tensor scores_;
  torch::Tensor offset_;
  torch::Tensor absent_;
  torch::Tensor targets_;
};

/// Minimizes a unimodal function by golden-section search.
template <class Function>
double golden_section(const Function& function, double low, double high) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double left = high - ratio * (high - low);
  double right = low + ratio * (high - low);
  double at_left = function(left);
  double at_right = function(right);
  for (int i = 0; i < kSearchSteps; ++i) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - ratio * (high - low);
      at_left = function(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + ratio * (high - low);
      at_right = function(right);
    }
  }
  return (low + high) / 2;
}

}  // namespace

double fit_temperature(const torch::Tensor& scores, const torch::Tensor& labels,
                       const torch::Tensor& offset) {
  const torch::NoGradGuard no_gradient;
  const auto own = scores.gather(1, labels.unsqueeze(1)).squeeze(1);
  const auto rows = torch::isfinite(own).nonzero().squeeze(1);
  if (rows.size(0) == 0) return 1;
  const SmoothedEntropy entropy(scores.index_select(0, rows).to(torch::kFloat64),
                                labels.index_select(0, rows),
                                offset.defined() ? offset : torch::zeros({}, torch::kFloat64));
  return std::exp(golden_section(entropy, kSharpest, kFlattest));
}

torch::Tensor tempered_softmax(const torch::Tensor& scores, double temperature) {
  const torch::NoGradGuard no_gradient;
  return (scores.to(torch::kFloat64) / temperature).softmax(1);
}

torch::Tensor cross_fitted_probabilities(const torch::Tensor& scores, const torch::Tensor& labels,
                                         int64_t folds) {
  const torch::NoGradGuard no_gradient;
  const int64_t count = std::max<int64_t>(1, std::min(folds, scores.size(0)));
  const auto fold = torch::arange(scores.size(0)) % count;
  auto probabilities = torch::empty(scores.sizes(), torch::kFloat64);
  for (int64_t f = 0; f < count; ++f) {
    const auto inside = fold.eq(f).nonzero().squeeze(1);
    const auto outside = fold.ne(f).nonzero().squeeze(1);
    const double temperature =
        fit_temperature(scores.index_select(0, outside), labels.index_select(0, outside));
    probabilities.index_copy_(0, inside,
                              tempered_softmax(scores.index_select(0, inside), temperature));
  }
  return probabilities;
}

}  // namespace projnce::eval
