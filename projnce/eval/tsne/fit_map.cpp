#include "projnce/eval/tsne/fit_map.h"

#include <algorithm>
#include <utility>

#include "projnce/eval/tsne/map_descent.h"

namespace projnce {

namespace {

constexpr int64_t kIterationsBetweenDivergences = 50;
/// Points are sorted when they have found their company, and again now and then.
constexpr int64_t kFirstSorting = 50;
constexpr int64_t kIterationsBetweenSortings = 250;
constexpr double kExaggeratedMomentum = 0.5;
constexpr double kMomentum = 0.8;

double learning_rate_of(const TsneOptions& options, int64_t points) {
  if (options.learning_rate > 0) return options.learning_rate;
  return std::max(static_cast<double>(points) / options.exaggeration / 4, 50.0);
}

}  // namespace

FittedMap fit_map(Affinities affinities, std::vector<float> start, const TsneOptions& options,
                  const TsneProgress& progress) {
  const double rate = learning_rate_of(options, affinities.points());
  MapDescent descent(std::move(affinities), std::move(start), options.theta);
  TsneState state{.iteration = 0, .total = options.iterations, .divergence = {}};
  bool wanted = true;
  while (wanted && state.iteration < options.iterations) {
    if (state.iteration == options.exaggeration_iterations) descent.rest();
    if (state.iteration % kIterationsBetweenSortings == kFirstSorting) descent.sort_points();
    const bool early = state.iteration < options.exaggeration_iterations;
    descent.step({.learning_rate = rate,
                  .momentum = early ? kExaggeratedMomentum : kMomentum,
                  .exaggeration = early ? options.exaggeration : 1});
    ++state.iteration;
    state.divergence.reset();
    if (!progress) continue;
    if (state.iteration % kIterationsBetweenDivergences == 0 || state.iteration == state.total) {
      state.divergence = descent.divergence();
    }
    wanted = progress(state);
  }
  const double divergence = state.divergence ? *state.divergence : descent.divergence();
  return {descent.positions(), divergence, state.iteration};
}

}  // namespace projnce
