#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace projnce {

struct InformationOptions {
  int64_t neighbors = 5;      ///< k of Mixed KSG
  double temperature = 0.07;  ///< of the bounds
  /// Distance between two classes for Mixed KSG. 0: 1 for embeddings of unit length; for others the
  /// widest range of a coordinate, so that no two samples lie further apart than two classes.
  double label_scale = 0;
};

/// What embeddings [N, D] know about labels [N] in 0 .. C - 1, in nats: Mixed KSG with its
/// interval, the entropy of the labels as the ceiling, and lower bounds. If a class has no more
/// samples than neighbors, or there is one class only, `mixed_ksg`, `interval` and `share` are null
/// and `withheld` says why.
///
/// `class_vectors` [C, D] come from other samples, which the bound of class projections needs;
/// undefined: the rows are halved, and each half is measured with the centroids of the other.
nlohmann::ordered_json measure_information(const torch::Tensor& embeddings,
                                           const torch::Tensor& labels,
                                           const torch::Tensor& class_vectors,
                                           const InformationOptions& options);

/// The same of .npy files that any program wrote.
nlohmann::ordered_json information_of_arrays(const std::filesystem::path& embeddings,
                                             const std::filesystem::path& labels,
                                             const InformationOptions& options);

}  // namespace projnce
