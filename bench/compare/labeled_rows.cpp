#include "bench/compare/labeled_rows.h"

#include <torch/torch.h>

namespace projnce::bench {

LabeledRows make_labeled_rows(int64_t rows, int64_t dims, int64_t classes, double spread) {
  TORCH_CHECK(rows % 2 == 0 && rows / 2 >= classes, "rows ", rows, ", classes ", classes);
  torch::manual_seed(rows + classes);
  const auto sample_labels = torch::randperm(rows / 2).remainder(classes);
  const auto labels = torch::cat({sample_labels, sample_labels});
  const auto centers = torch::randn({classes, dims});
  const auto x = centers.index_select(0, labels) + spread * torch::randn({rows, dims});
  return {x.requires_grad_(true), labels};
}

torch::Tensor unit(const torch::Tensor& x) {
  return torch::nn::functional::normalize(x, torch::nn::functional::NormalizeFuncOptions().dim(1));
}

}  // namespace projnce::bench
