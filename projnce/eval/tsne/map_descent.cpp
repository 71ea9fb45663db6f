#include "projnce/eval/tsne/map_descent.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/eval/tsne/map_spread.h"
#include "projnce/kernel/attraction_rows.h"
#include "projnce/kernel/blocks.h"
#include "projnce/kernel/table.h"

namespace projnce {

namespace {

constexpr int64_t kPointsAtATime = 256;
/// Far beyond any map, and far below what kernels can square.
constexpr double kLargestSquares = 1e16;
/// A tenth of the spread that maps start with (tsne.cpp).
constexpr double kSmallestSpread = 1e-5;

}  // namespace

MapDescent::MapDescent(Affinities affinities, std::vector<float> start, double theta)
    : affinities_(std::move(affinities)),
      numbers_(static_cast<size_t>(affinities_.points())),
      repulsion_(theta),
      positions_(std::move(start)),
      pulls_(positions_.size()),
      pushes_(positions_.size()) {
  std::iota(numbers_.begin(), numbers_.end(), 0);
  rest();
}

void MapDescent::sort_points() {
  PointTree tree;
  tree.build(positions_.data(), affinities_.points());
  affinities_ = reordered(affinities_, tree.order());
  const auto numbers = numbers_;
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers_[i] = numbers[static_cast<size_t>(tree.order()[i])];
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

std::vector<float> MapDescent::as_given(const std::vector<float>& pairs) const {
  std::vector<float> given(pairs.size());
  for (size_t i = 0; i < numbers_.size(); ++i) {
    const auto to = static_cast<size_t>(numbers_[i]);
    given[2 * to] = pairs[2 * i];
    given[2 * to + 1] = pairs[2 * i + 1];
  }
  return given;
}

void MapDescent::move_to(const std::vector<float>& positions) {
  for (size_t i = 0; i < numbers_.size(); ++i) {
    const auto from = static_cast<size_t>(numbers_[i]);
    positions_[2 * i] = positions[2 * from];
    positions_[2 * i + 1] = positions[2 * from + 1];
  }
  rest();
}

void MapDescent::rest() {
  velocities_.assign(positions_.size(), 0);
  gains_.assign(positions_.size(), 1);
}

void MapDescent::find_forces() {
  const auto& table = kernels<float>();
  const int64_t count = affinities_.points();
  const RowBlocks blocks{count, kPointsAtATime};
  lists_.resize(static_cast<size_t>(std::max(1, omp_get_max_threads())));
#pragma omp parallel num_threads(team_.threads()) if (blocks.count() > 1)
  {
    // One thread sorts the points while the others begin with the pulls, which need no order.
#pragma omp for schedule(dynamic, 1)
    for (int64_t b = -1; b < blocks.count(); ++b) {
      if (b < 0) {
        repulsion_.arrange(positions_.data(), count);
      } else {
        table.attract({.points = positions_.data(),
                       .starts = affinities_.starts.data(),
                       .partners = affinities_.partners.data(),
                       .weights = affinities_.weights.data()},
                      blocks.begin(b), blocks.begin(b) + blocks.length(b), pulls_.data());
      }
    }
    auto& list = lists_[static_cast<size_t>(omp_get_thread_num())];
#pragma omp for schedule(dynamic, 1) nowait
    for (int64_t part = 0; part < repulsion_.parts(); ++part) {
      repulsion_.push(part, list, pushes_.data());
    }
  }
  mass_ = repulsion_.mass();
}

void MapDescent::step(const Step& step) {
  team_.begin_step();
  find_forces();
  team_.end_step();
  const auto push = static_cast<float>(4 / mass_);
  const auto pull = static_cast<float>(4 * step.exaggeration);
  const auto rate = static_cast<float>(step.learning_rate);
  const auto momentum = static_cast<float>(step.momentum);
  // By one thread: meeting the others again would take as long.
  for (size_t i = 0; i < positions_.size(); ++i) {
    const float slope = pull * pulls_[i] - push * pushes_[i];
    const bool onwards = velocities_[i] * slope < 0;
    gains_[i] = onwards ? gains_[i] + 0.2F : std::max(0.01F, gains_[i] * 0.8F);
    velocities_[i] = momentum * velocities_[i] - rate * gains_[i] * slope;
    positions_[i] += velocities_[i];
  }
  centre();
  const bool contracted = raise_spread(positions_, velocities_, kSmallestSpread);
  contracted_steps_ = contracted ? contracted_steps_ + 1 : 0;
}

void MapDescent::centre() {
  double x = 0, y = 0, squares = 0;
  for (size_t i = 0; i < positions_.size(); i += 2) {
    const double px = positions_[i], py = positions_[i + 1];
    x += px;
    y += py;
    squares += px * px + py * py;
  }
  if (!(squares < kLargestSquares)) {
    fail_working(Hint{"give a smaller learning rate"}, "t-SNE: the points fly apart");
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
    slopes[i] = static_cast<float>(4 * (exaggeration * pulls_[i] - pushes_[i] / mass_));
  }
  return as_given(slopes);
}

double MapDescent::divergence() {
  find_forces();
  const RowBlocks blocks{affinities_.points(), kPointsAtATime};
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

}  // namespace projnce
