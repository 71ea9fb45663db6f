#pragma once

#include <torch/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/eval/tsne/tsne.h"

namespace projnce::inference {

/// Rows in the plane.
struct PlaneMap {
  torch::Tensor positions;  // [N, 2], float32
  std::string how;          ///< "t-SNE, perplexity 30, KL 1.234"
  nlohmann::ordered_json facts;
};

PlaneMap map_by_pca(const torch::Tensor& rows);

PlaneMap map_by_tsne(const torch::Tensor& rows, const eval::TsneOptions& options);

enum class MapMethod { kTsne, kPca };

struct MapRequest {
  std::filesystem::path input;   ///< a .npy matrix, or a run, whose test samples are mapped
  std::filesystem::path labels;  ///< .npy list; empty: the run's, or none
  /// .npy, .svg, .png or .html; none: tsne.npy or pca.npy in the run.
  std::vector<std::filesystem::path> outputs;
  MapMethod method = MapMethod::kTsne;
  eval::TsneOptions tsne = {};
};

/// Maps embeddings into the plane and writes the positions, or a image of them.
nlohmann::ordered_json map_embeddings(const MapRequest& request, const Logger& logger);

}  // namespace projnce::inference
