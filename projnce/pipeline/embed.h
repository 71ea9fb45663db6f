#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"

namespace projnce {

struct EmbedRequest {
  std::filesystem::path run;
  /// One dataset name or folder, or any number of files; none: the run's own data.
  std::vector<std::string> inputs;
  std::filesystem::path data = {};  ///< where the run's data lies now; empty: where the run says
  std::filesystem::path output;
  std::string part = "all";  ///< of a dataset: "train", "test" or "all"
  OpenContext context;       ///< where datasets are looked for
};

/// Writes the embeddings of the inputs, and their labels where known, as .npy files, and the
/// samples' names beside them, a line for each row.
nlohmann::ordered_json embed_inputs(const EmbedRequest& request, const Logger& logger);

}  // namespace projnce
