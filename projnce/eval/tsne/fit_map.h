#pragma once

#include <cstdint>
#include <vector>

#include "projnce/eval/tsne/affinities.h"
#include "projnce/eval/tsne/tsne_options.h"

namespace projnce {

struct FittedMap {
  std::vector<float> positions;  // [N, 2]
  double divergence;
  int64_t iterations;
};

/// Moves the points from `start` [N, 2] as the options say; those of the start and of the
/// affinities do not matter any more. Throws where the learning rate is so large that the points
/// fly apart.
FittedMap fit_map(Affinities affinities, const std::vector<float>& start,
                  const TsneOptions& options, const TsneProgress& progress = {});

}  // namespace projnce
