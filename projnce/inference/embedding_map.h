#pragma once

#include <torch/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/eval/tsne/tsne.h"

namespace projnce::inference {

/// 2-D projection of embeddings.
struct PlaneMap {
  torch::Tensor positions;       // [N, 2], float32
  std::string how;               ///< description, such as "t-SNE, perplexity 30, KL 1.234"
  nlohmann::ordered_json facts;  ///< method and its parameters
};

/// Projects rows [N, D] on their first two principal components.
PlaneMap map_by_pca(const torch::Tensor& rows);

/// Embeds rows [N, D] with t-SNE; shows a progress bar.
PlaneMap map_by_tsne(const torch::Tensor& rows, const eval::TsneOptions& options);

enum class MapMethod { kTsne, kPca };

struct MapRequest {
  std::filesystem::path input;   ///< .npy matrix, or a run, whose test samples are mapped
  std::filesystem::path labels;  ///< .npy array; empty: those of the run, or none
  /// .npy, .svg, .png or .html files; empty: tsne.npy or pca.npy in the run.
  std::vector<std::filesystem::path> outputs;
  MapMethod method = MapMethod::kTsne;
  eval::TsneOptions tsne = {};
};

/// Projects embeddings to 2-D and writes the coordinates or scatter plots.
nlohmann::ordered_json map_embeddings(const MapRequest& request, const Logger& logger);

}  // namespace projnce::inference
