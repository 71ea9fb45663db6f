#include "projnce/pipeline/plane_map.h"

#include <fmt/format.h>
#include <torch/types.h>

#include "projnce/core/error.h"
#include "projnce/core/progress.h"
#include "projnce/eval/pca.h"
#include "projnce/eval/tsne/tsne.h"

namespace projnce {

PlaneMap map_by_pca(const torch::Tensor& rows) {
  if (rows.size(0) < 2 || rows.size(1) < 2) {
    fail("a map by PCA needs two rows and two columns, there are ", rows.size(0), " and ",
         rows.size(1));
  }
  return {.positions = pca(rows, 2).to(torch::kFloat32),
          .how = "first two principal components",
          .facts = {{"method", "pca"}}};
}

PlaneMap map_by_tsne(const torch::Tensor& rows, const TsneOptions& options) {
  Progress progress("mapping", options.iterations, "iterations");
  std::string note = "neighbours";
  progress.update(0, note);
  const auto result = tsne(rows, options, [&](const TsneState& state) {
    if (state.divergence) note = fmt::format("KL {:.3f}", *state.divergence);
    progress.update(state.iteration, note);
    return true;
  });
  return {.positions = result.positions,
          .how = fmt::format("t-SNE, perplexity {:.3g}, KL {:.3f}", result.perplexity,
                             result.divergence),
          .facts = {{"method", "tsne"},
                    {"perplexity", result.perplexity},
                    {"iterations", result.iterations},
                    {"kl", result.divergence}}};
}

}  // namespace projnce
