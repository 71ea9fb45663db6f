#include "projnce/eval/knn.h"

#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/eval/nearest_neighbors.h"
#include "projnce/projection/class_groups.h"

namespace projnce {

torch::Tensor knn_scores(const torch::Tensor& rows, const torch::Tensor& labels,
                         int64_t num_classes, const torch::Tensor& queries,
                         const KnnOptions& options) {
  const torch::NoGradGuard no_gradient;
  const auto [indices, cosines] =
      nearest_neighbors(unit_rows(queries), unit_rows(rows), {.neighbors = options.neighbors});
  // The nearest comes first: no exponential is above 1.
  const auto weights = ((cosines - cosines.narrow(1, 0, 1)) / options.temperature).exp();
  const auto voters = labels.index_select(0, indices.flatten()).view_as(indices);
  const auto votes = torch::zeros({queries.size(0), num_classes}, weights.options())
                         .scatter_add(1, voters, weights);
  return votes / weights.sum(1, /*keepdim=*/true);
}

}  // namespace projnce
