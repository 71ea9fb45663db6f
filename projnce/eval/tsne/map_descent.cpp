#include "projnce/eval/tsne/map_descent.h"

#include <omp.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/kernel/blocks.h"
#include "projnce/kernel/map_forces.h"
#include "projnce/kernel/table.h"

namespace projnce::eval {

namespace {

/// Second moments of points whose mean is 0.
struct Moments {
  double xx = 0;
  double xy = 0;
  double yy = 0;
};

struct Direction {
  double x;
  double y;
};

Moments moments_of(const std::vector<float>& points) {
  Moments sums;
  for (size_t i = 0; i < points.size(); i += 2) {
    const double x = points[i], y = points[i + 1];
    sums.xx += x * x;
    sums.xy += x * y;
    sums.yy += y * y;
  }
  const auto count = static_cast<double>(points.size() / 2);
  return {sums.xx / count, sums.xy / count, sums.yy / count};
}

/// Computed along the axis itself: the eigenvalue of the moments is inaccurate if the other axis is
/// much longer.
double deviation_along(const Direction& axis, const std::vector<float>& points) {
  double squares = 0;
  for (size_t i = 0; i < points.size(); i += 2) {
    const double along = axis.x * points[i] + axis.y * points[i + 1];
    squares += along * along;
  }
  return std::sqrt(squares / static_cast<double>(points.size() / 2));
}

void scale_along(const Direction& axis, double factor, std::vector<float>& points) {
  for (size_t i = 0; i < points.size(); i += 2) {
    const double more = (factor - 1) * (axis.x * points[i] + axis.y * points[i + 1]);
    points[i] += static_cast<float>(more * axis.x);
    points[i + 1] += static_cast<float>(more * axis.y);
  }
}

}  // namespace

bool raise_spread(std::vector<float>& positions, std::vector<float>& velocities, double smallest) {
  const auto [xx, xy, yy] = moments_of(positions);
  const double middle = (xx + yy) / 2, radius = std::hypot((xx - yy) / 2, xy);
  // The margin accounts for rounding of the difference.
  if (middle - radius > smallest * smallest + 1e-14 * middle) return false;
  const double angle = std::atan2(2 * xy, xx - yy) / 2;  // angle of the longer axis
  int raised = 0;
  for (const double turn : {0.0, std::numbers::pi / 2}) {
    const Direction axis{std::cos(angle + turn), std::sin(angle + turn)};
    const double deviation = deviation_along(axis, positions);
    if (!(deviation > 0 && deviation < smallest)) continue;
    scale_along(axis, smallest / deviation, positions);
    scale_along(axis, smallest / deviation, velocities);
    ++raised;
  }
  return raised == 2;
}

namespace {

constexpr int64_t kTrialSteps = 8;
constexpr int64_t kRoundSteps = 128;
constexpr double kBusy = 1.2;  // ratio of wall time to CPU time

double time_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

ThreadCountTuner::ThreadCountTuner() : max_threads_(omp_get_max_threads()) {}

void ThreadCountTuner::begin_step() {
  if (step_ == 0) single_ = false;
  step_start_ = time_of(CLOCK_MONOTONIC);
  step_cpu_start_ = time_of(CLOCK_THREAD_CPUTIME_ID);
}

void ThreadCountTuner::end_step() {
  seconds_ += time_of(CLOCK_MONOTONIC) - step_start_;
  cpu_seconds_ += time_of(CLOCK_THREAD_CPUTIME_ID) - step_cpu_start_;
  ++step_;
  if (step_ % kTrialSteps == 0) end_trial();
  if (step_ == kRoundSteps) step_ = 0;
}

void ThreadCountTuner::end_trial() {
  if (step_ == kTrialSteps) {
    parallel_seconds_ = seconds_;
    single_ = seconds_ > kBusy * cpu_seconds_;
  } else if (step_ == 2 * kTrialSteps && single_) {
    single_ = seconds_ < parallel_seconds_;
  }
  seconds_ = cpu_seconds_ = 0;
}

namespace {

constexpr int64_t kPointsAtATime = 256;
/// Limit of the positions: far beyond any map, and far below overflow of squares.
constexpr double kLargestSquares = 1e16;
/// Minimum spread: a tenth of the initial spread of a map (tsne.cpp).
constexpr double kSmallestSpread = 1e-5;

}  // namespace

MapDescent::MapDescent(Affinities affinities, std::vector<float> start, double theta)
    : affinities_(std::move(affinities)),
      original_(static_cast<size_t>(affinities_.points())),
      repulsion_(theta),
      positions_(std::move(start)),
      attraction_(positions_.size()),
      repulsion_forces_(positions_.size()) {
  std::iota(original_.begin(), original_.end(), 0);
  reset_momentum();
}

void MapDescent::sort_points() {
  kernel::PointTree tree;
  tree.build(positions_.data(), affinities_.points());
  affinities_ = reordered(affinities_, tree.order());
  const auto numbers = original_;
  for (size_t i = 0; i < numbers.size(); ++i) {
    original_[i] = numbers[static_cast<size_t>(tree.order()[i])];
  }
  for (auto* pairs : {&positions_, &velocities_, &gains_}) {
    const auto before = *pairs;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto from = static_cast<size_t>(tree.order()[i]);
      (*pairs)[2 * i] = before[2 * from];
      (*pairs)[2 * i + 1] = before[2 * from + 1];
    }
  }
}

std::vector<float> MapDescent::in_original_order(const std::vector<float>& pairs) const {
  std::vector<float> given(pairs.size());
  for (size_t i = 0; i < original_.size(); ++i) {
    const auto to = static_cast<size_t>(original_[i]);
    given[2 * to] = pairs[2 * i];
    given[2 * to + 1] = pairs[2 * i + 1];
  }
  return given;
}

void MapDescent::move_to(const std::vector<float>& positions) {
  for (size_t i = 0; i < original_.size(); ++i) {
    const auto from = static_cast<size_t>(original_[i]);
    positions_[2 * i] = positions[2 * from];
    positions_[2 * i + 1] = positions[2 * from + 1];
  }
  reset_momentum();
}

void MapDescent::reset_momentum() {
  velocities_.assign(positions_.size(), 0);
  gains_.assign(positions_.size(), 1);
}

void MapDescent::find_forces() {
  const auto& table = kernel::kernels<float>();
  const int64_t count = affinities_.points();
  const kernel::RowBlocks blocks{count, kPointsAtATime};
  lists_.resize(static_cast<size_t>(std::max(1, omp_get_max_threads())));
#pragma omp parallel num_threads(tuner_.threads()) if (blocks.count() > 1)
  {
    // One thread builds the tree while the others start with the attraction, which does not need
    // it.
#pragma omp for schedule(dynamic, 1)
    for (int64_t b = -1; b < blocks.count(); ++b) {
      if (b < 0) {
        repulsion_.build(positions_.data(), count);
      } else {
        table.attract({.points = positions_.data(),
                       .starts = affinities_.starts.data(),
                       .partners = affinities_.partners.data(),
                       .weights = affinities_.weights.data()},
                      blocks.begin(b), blocks.begin(b) + blocks.length(b), attraction_.data());
      }
    }
    auto& list = lists_[static_cast<size_t>(omp_get_thread_num())];
#pragma omp for schedule(dynamic, 1) nowait
    for (int64_t part = 0; part < repulsion_.parts(); ++part) {
      repulsion_.compute_forces(part, list, repulsion_forces_.data());
    }
  }
  mass_ = repulsion_.mass();
}

void MapDescent::step(const Step& step) {
  tuner_.begin_step();
  find_forces();
  tuner_.end_step();
  const auto push = static_cast<float>(4 / mass_);
  const auto pull = static_cast<float>(4 * step.exaggeration);
  const auto rate = static_cast<float>(step.learning_rate);
  const auto momentum = static_cast<float>(step.momentum);
  // On one thread: another barrier would take as long.
  for (size_t i = 0; i < positions_.size(); ++i) {
    const float slope = pull * attraction_[i] - push * repulsion_forces_[i];
    const bool onwards = velocities_[i] * slope < 0;
    gains_[i] = onwards ? gains_[i] + 0.2F : std::max(0.01F, gains_[i] * 0.8F);
    velocities_[i] = momentum * velocities_[i] - rate * gains_[i] * slope;
    positions_[i] += velocities_[i];
  }
  center();
  const bool contracted = raise_spread(positions_, velocities_, kSmallestSpread);
  contracted_steps_ = contracted ? contracted_steps_ + 1 : 0;
}

void MapDescent::center() {
  double x = 0, y = 0, squares = 0;
  for (size_t i = 0; i < positions_.size(); i += 2) {
    const double px = positions_[i], py = positions_[i + 1];
    x += px;
    y += py;
    squares += px * px + py * py;
  }
  if (!(squares < kLargestSquares)) {
    fail_runtime(Hint{"use a smaller learning rate"}, "t-SNE diverged");
  }
  const auto count = static_cast<double>(affinities_.points());
  const auto mean_x = static_cast<float>(x / count), mean_y = static_cast<float>(y / count);
  for (size_t i = 0; i < positions_.size(); i += 2) {
    positions_[i] -= mean_x;
    positions_[i + 1] -= mean_y;
  }
}

std::vector<float> MapDescent::gradient(double exaggeration) {
  find_forces();
  std::vector<float> slopes(positions_.size());
  for (size_t i = 0; i < slopes.size(); ++i) {
    slopes[i] =
        static_cast<float>(4 * (exaggeration * attraction_[i] - repulsion_forces_[i] / mass_));
  }
  return in_original_order(slopes);
}

double MapDescent::divergence() {
  find_forces();
  const kernel::RowBlocks blocks{affinities_.points(), kPointsAtATime};
  std::vector<double> sums(static_cast<size_t>(blocks.count()), 0);
  const double log_mass = std::log(mass_);
#pragma omp parallel for schedule(dynamic, 1)
  for (int64_t b = 0; b < blocks.count(); ++b) {
    double sum = 0;
    for (int64_t i = blocks.begin(b); i < blocks.begin(b) + blocks.length(b); ++i) {
      const auto row = static_cast<size_t>(i);
      for (auto e = static_cast<size_t>(affinities_.starts[row]);
           e < static_cast<size_t>(affinities_.starts[row + 1]); ++e) {
        const double p = affinities_.weights[e];
        if (p <= 0) continue;
        const auto j = static_cast<size_t>(affinities_.partners[e]);
        const double dx = positions_[2 * row] - positions_[2 * j];
        const double dy = positions_[2 * row + 1] - positions_[2 * j + 1];
        sum += p * (std::log(p * (1 + dx * dx + dy * dy)) + log_mass);
      }
    }
    sums[static_cast<size_t>(b)] = sum;
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

namespace {

constexpr int64_t kIterationsBetweenDivergences = 50;
/// Steps after which the points are sorted: once clusters have formed, and regularly afterwards.
constexpr int64_t kFirstSorting = 50;
constexpr int64_t kIterationsBetweenSortings = 250;
/// If this many consecutive exaggerated steps contract the map in every direction, the rows have no
/// clusters that exaggeration could form: the points return to the start and continue without it.
/// Fewer steps are not conclusive: a random start contracts at first even if there are clusters.
constexpr int64_t kContractedSteps = 20;
constexpr double kExaggeratedMomentum = 0.5;
constexpr double kMomentum = 0.8;

struct LearningRates {
  double exaggerated;
  double plain;
};

/// N / exaggeration / 4 is about the largest rate at which exaggerated steps do not overshoot
/// (Belkina et al., 2019; the factor 4 is part of the gradient here). Later steps may be larger:
/// small datasets would need too many steps otherwise.
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
    if (state.iteration == exaggerated) descent.reset_momentum();
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

}  // namespace projnce::eval
