#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::eval {

/// Mean embedding of each class: [N, D], [N] -> [C, D]. With `normalize`, rows are brought to unit
/// length first. Classes without rows get NaN, which `cosine_scores` turns into "never".
torch::Tensor class_centroids(const torch::Tensor& embeddings, const torch::Tensor& labels,
                              int64_t num_classes, bool normalize = true);

/// Cosine of each row with each class vector: [N, D], [C, D] -> [N, C]; minus infinity for a class
/// without vector (NaN row).
torch::Tensor cosine_scores(const torch::Tensor& embeddings, const torch::Tensor& class_vectors);

/// `class_vectors` [C, D] with NaN rows for the classes that have no row in `centroids` either, so
/// that `cosine_scores` never predicts a class without training samples.
torch::Tensor mask_absent_classes(const torch::Tensor& class_vectors,
                                  const torch::Tensor& centroids);

}  // namespace projnce::eval
