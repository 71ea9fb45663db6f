#include "projnce/reproduce/figure_maps.h"

#include <fstream>
#include <iterator>

#include "projnce/core/error.h"
#include "projnce/io/temporary_folder.h"
#include "projnce/pipeline/embedding_map.h"
#include "projnce/report/run_paths.h"

namespace projnce {

namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<ResultPicture> figure_maps(const Experiment& experiment, const std::vector<Cell>& cells,
                                       const std::string& prefix, const Logger& logger) {
  std::vector<ResultPicture> pictures;
  if (!experiment.map_seed) return pictures;
  const TemporaryFolder folder("maps");
  for (const auto& cell : cells) {
    const RunPaths paths{cell.directory};
    if (cell.seed != *experiment.map_seed || !std::filesystem::exists(paths.summary())) continue;
    const auto& method = experiment.methods[cell.method];
    const auto file = concat(prefix, "-", method.name, "-map.svg");
    map_embeddings({.input = cell.directory, .labels = {}, .outputs = {folder.path() / file}},
                   logger);
    pictures.push_back(
        {.file = file, .title = method.title, .svg = read_text(folder.path() / file)});
  }
  return pictures;
}

}  // namespace projnce
