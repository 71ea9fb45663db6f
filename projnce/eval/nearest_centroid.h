#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::eval {

/// Returns the mean embedding of each class: [N, D], [N] -> [C, D]. If `normalize` is true, rows
/// are L2-normalized first. Classes without rows are NaN and never predicted by `cosine_scores`.
torch::Tensor class_centroids(const torch::Tensor& embeddings, const torch::Tensor& labels,
                              int64_t num_classes, bool normalize = true);

/// Returns the cosine of each row with each class vector: [N, D], [C, D] -> [N, C]; -inf for a
/// class without vector (NaN row).
torch::Tensor cosine_scores(const torch::Tensor& embeddings, const torch::Tensor& class_vectors);

/// Returns `class_vectors` [C, D] with NaN rows for the classes whose centroid is NaN, so that
/// `cosine_scores` never predicts a class without training samples.
torch::Tensor mask_absent_classes(const torch::Tensor& class_vectors,
                                  const torch::Tensor& centroids);

}  // namespace projnce::eval
