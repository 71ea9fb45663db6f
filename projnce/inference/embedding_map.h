#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/eval/tsne/tsne.h"
#include "projnce/inference/array_files.h"

namespace projnce::inference {

/// How t-SNE computed a map.
struct TsneFit {
  double perplexity = 0;   ///< perplexity that was used
  int64_t iterations = 0;  ///< completed iterations
  double divergence = 0;   ///< Kullback-Leibler divergence of the map
};

/// 2-D projection of embeddings.
struct PlaneMap {
  torch::Tensor positions;           // [N, 2], float32
  std::string how;                   ///< description, such as "t-SNE, perplexity 30, KL 1.234"
  std::optional<TsneFit> tsne = {};  ///< empty for PCA
};

/// Projects rows [N, D] on their first two principal components.
PlaneMap map_by_pca(const torch::Tensor& rows);

/// Embeds rows [N, D] with t-SNE; shows a progress bar.
PlaneMap map_by_tsne(const torch::Tensor& rows, const eval::TsneOptions& options);

enum class MapMethod { kTsne, kPca };

struct MapRequest {
  std::filesystem::path input;   ///< .npy matrix, or a run, whose test samples are mapped
  std::filesystem::path labels;  ///< .npy array; empty: those of the run, or none
  TableRequest table = {};       ///< instead of `input` and `labels`
  /// .npy, .svg, .png or .html files; empty: tsne.npy or pca.npy in the run.
  std::vector<std::filesystem::path> outputs;
  MapMethod method = MapMethod::kTsne;
  eval::TsneOptions tsne = {};
};

/// A computed map and the written files.
struct MapResult {
  int64_t samples = 0;          ///< number of mapped rows
  std::optional<TsneFit> tsne;  ///< empty for PCA
  double seconds = 0;           ///< time of the projection, without reading and writing
  std::vector<std::filesystem::path> files;  ///< in the order of the request
};

/// Projects embeddings to 2-D and writes the coordinates or scatter plots.
MapResult map_embeddings(const MapRequest& request, const Logger& logger);

}  // namespace projnce::inference
