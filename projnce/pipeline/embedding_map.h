#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/eval/tsne/tsne_options.h"

namespace projnce {

enum class MapMethod { kTsne, kPca };

struct MapRequest {
  std::filesystem::path input;   ///< a .npy matrix, or a run, whose test samples are mapped
  std::filesystem::path labels;  ///< .npy list; empty: the run's, or none
  /// .npy, .svg, .png or .html; none: tsne.npy or pca.npy in the run.
  std::vector<std::filesystem::path> outputs;
  MapMethod method = MapMethod::kTsne;
  TsneOptions tsne = {};
};

/// Maps embeddings into the plane and writes the positions, or a picture of them.
nlohmann::ordered_json map_embeddings(const MapRequest& request, const Logger& logger);

}  // namespace projnce
