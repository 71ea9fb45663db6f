#pragma once

#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <string>

#include "projnce/eval/tsne/tsne_options.h"

namespace projnce {

/// Rows in the plane.
struct PlaneMap {
  torch::Tensor positions;  // [N, 2], float32
  std::string how;          ///< "t-SNE, perplexity 30, KL 1.234"
  nlohmann::ordered_json facts;
};

PlaneMap map_by_pca(const torch::Tensor& rows);

PlaneMap map_by_tsne(const torch::Tensor& rows, const TsneOptions& options);

}  // namespace projnce
