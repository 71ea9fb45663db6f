#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "projnce/pipeline/standard_settings.h"

namespace projnce {

/// Pages of runs, out of the files in their directories.
class RunPages {
 public:
  /// What a page of these runs shows: PageData of web/src/model.ts. Several are compared: with
  /// fewer points on each map, and without pictures.
  nlohmann::ordered_json data(const std::vector<std::filesystem::path>& runs);

  /// Writes the page, whole or not at all. Returns its size in bytes.
  size_t write(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& file);

 private:
  StandardSettings standard_;
};

}  // namespace projnce
