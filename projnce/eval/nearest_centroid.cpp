#include "projnce/eval/nearest_centroid.h"

#include <torch/types.h>

#include <limits>

#include "projnce/projection/class_groups.h"

namespace projnce::eval {

torch::Tensor class_centroids(const torch::Tensor& embeddings, const torch::Tensor& labels,
                              int64_t num_classes, bool normalize) {
  const auto rows = normalize ? projection::unit_rows(embeddings) : embeddings;
  const auto sums =
      torch::zeros({num_classes, rows.size(1)}, rows.options()).index_add(0, labels, rows);
  const auto counts = torch::zeros({num_classes}, rows.options())
                          .index_add(0, labels, torch::ones({rows.size(0)}, rows.options()));
  return sums / counts.unsqueeze(1);  // 0 / 0 marks classes without rows
}

torch::Tensor cosine_scores(const torch::Tensor& embeddings, const torch::Tensor& class_vectors) {
  const auto absent = class_vectors.isnan().any(/*dim=*/1);  // [C]
  const auto vectors = projection::unit_rows(torch::nan_to_num(class_vectors));
  return projection::unit_rows(embeddings)
      .mm(vectors.t())
      .masked_fill(absent.unsqueeze(0), -std::numeric_limits<double>::infinity());
}

torch::Tensor mask_absent_classes(const torch::Tensor& class_vectors,
                                  const torch::Tensor& centroids) {
  const auto absent = centroids.isnan().any(/*dim=*/1);  // [C]
  return class_vectors.masked_fill(absent.unsqueeze(1), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace projnce::eval
