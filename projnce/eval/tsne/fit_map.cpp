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
/// If this many exaggerated steps in a row contract the map in every direction, the rows have no
/// clusters that exaggeration could form: the points go back to the start and continue without it.
/// Fewer steps cannot tell, since a random start contracts first even if there are clusters.
constexpr int64_t kContractedSteps = 20;
constexpr double kExaggeratedMomentum = 0.5;
constexpr double kMomentum = 0.8;

struct LearningRates {
  double exaggerated;
  double plain;
};

/// N / exaggeration / 4 is about the largest rate at which exaggerated steps do not overshoot
/// (Belkina et al., 2019; the factor 4 is part of our gradient). Plain steps may be longer: few
/// points would take too many steps otherwise.
LearningRates learning_rates(const TsneOptions& options, int64_t points) {
  if (options.learning_rate > 0) return {options.learning_rate, options.learning_rate};
  const auto count = static_cast<double>(points);
  const double rate = count / options.exaggeration / 4;
  return {rate, std::max(rate, std::clamp(count / 20, 10.0, 50.0))};
}

}  // namespace

FittedMap fit_map(Affinities affinities, const std::vector<float>& start,
                  const TsneOptions& options, const TsneProgress& progress) {
  const auto rates = learning_rates(options, affinities.points());
  MapDescent descent(std::move(affinities), start, options.theta);
  int64_t exaggerated = options.exaggeration_iterations;
  TsneState state{.iteration = 0, .total = options.iterations, .divergence = {}};
  bool wanted = true;
  while (wanted && state.iteration < options.iterations) {
    if (state.iteration == exaggerated) descent.rest();
    if (state.iteration % kIterationsBetweenSortings == kFirstSorting) descent.sort_points();
    const bool early = state.iteration < exaggerated;
    descent.step({.learning_rate = early ? rates.exaggerated : rates.plain,
                  .momentum = early ? kExaggeratedMomentum : kMomentum,
                  .exaggeration = early ? options.exaggeration : 1});
    ++state.iteration;
    if (early && descent.contracted_steps() == kContractedSteps) {
      exaggerated = state.iteration;
      descent.move_to(start);
    }
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
