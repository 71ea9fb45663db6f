#include "projnce/reproduce/figure_maps.h"

#include "projnce/core/error.h"
#include "projnce/io/byte_view.h"
#include "projnce/io/regular_file.h"
#include "projnce/io/temporary_folder.h"
#include "projnce/pipeline/embedding_map.h"
#include "projnce/report/run_paths.h"

namespace projnce {

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
    const auto svg = read_regular_file(folder.path() / file);
    pictures.push_back(
        {.file = file, .title = method.title, .svg = std::string(as_text(svg.span()))});
  }
  return pictures;
}

}  // namespace projnce
