#include "projnce/eval/calibration.h"

#include <torch/types.h>

#include "projnce/eval/accuracy.h"

namespace projnce {

double calibration_error(const torch::Tensor& probabilities, const torch::Tensor& labels,
                         int64_t bins) {
  const auto predicted = predict_class(probabilities);
  const auto sure = probabilities.gather(1, predicted.unsqueeze(1)).squeeze(1).to(torch::kFloat64);
  const auto right = predicted.eq(labels).to(torch::kFloat64);
  const auto bin = (sure * static_cast<double>(bins)).to(torch::kInt64).clamp(0, bins - 1);
  const auto gaps = torch::zeros({bins}, torch::kFloat64).index_add(0, bin, right - sure);
  return gaps.abs().sum().item<double>() / static_cast<double>(labels.size(0));
}

}  // namespace projnce
