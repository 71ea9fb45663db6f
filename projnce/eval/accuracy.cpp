#include "projnce/eval/accuracy.h"

#include <torch/types.h>

#include <cmath>
#include <numeric>

namespace projnce {

int64_t Accuracy::class_samples(size_t label) const {
  const auto& row = confusion[label];
  return std::accumulate(row.begin(), row.end(), int64_t{0});
}

torch::Tensor predict_class(const torch::Tensor& scores) {
  // Which of several equal maxima argmax returns is not promised; the first of them is what we
  // want.
  const auto best = scores == std::get<0>(scores.max(/*dim=*/1, /*keepdim=*/true));
  return best.to(torch::kInt).argmax(/*dim=*/1);
}

Accuracy measure_accuracy(const torch::Tensor& scores, const torch::Tensor& labels) {
  const int64_t samples = scores.size(0);
  const int64_t classes = scores.size(1);
  Accuracy result{.samples = samples,
                  .per_class = std::vector<double>(classes, std::nan("")),
                  .confusion = std::vector(classes, std::vector<int64_t>(classes, 0))};
  if (samples == 0) return result;

  const auto predicted = predict_class(scores).contiguous();
  const auto given = labels.contiguous();
  const auto* p = predicted.data_ptr<int64_t>();
  const auto* y = given.data_ptr<int64_t>();
  for (int64_t i = 0; i < samples; ++i) ++result.confusion[y[i]][p[i]];

  int64_t hits = 0;
  for (int64_t c = 0; c < classes; ++c) {
    const int64_t total = result.class_samples(c);
    hits += result.confusion[c][c];
    if (total > 0) result.per_class[c] = double(result.confusion[c][c]) / double(total);
  }
  result.top1 = double(hits) / double(samples);

  // In the best five: fewer than five classes score higher than the label's own.
  const auto own = scores.gather(1, labels.unsqueeze(1));  // [N, 1]
  result.top5 = (scores > own).sum(1).lt(5).to(torch::kDouble).mean().item<double>();
  return result;
}

}  // namespace projnce
