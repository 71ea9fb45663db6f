#include "projnce/kernel/repulsion.h"

#include <algorithm>

#include "projnce/kernel/repulsion_tile.h"
#include "projnce/kernel/table.h"

namespace projnce {

namespace {

constexpr int64_t kRoom = PointTree::kGroupPoints + PointTree::kPadding;
constexpr int64_t kSourcesAtATime = 2048;  // single precision holds their sum well

/// What the targets of a group have got so far.
struct GroupPush {
  double x[kRoom] = {};
  double y[kRoom] = {};
  double mass[kRoom] = {};
};

void add_sources(const PointTree& tree, const PointTree::Group& group, const SourceList& sources,
                 GroupPush& push) {
  alignas(64) float x[kRoom], y[kRoom], mass[kRoom];
  for (int64_t s = 0; s < sources.count(); s += kSourcesAtATime) {
    kernels<float>().repel({.x = tree.x() + group.first,
                            .y = tree.y() + group.first,
                            .targets = group.count,
                            .source_x = sources.x() + s,
                            .source_y = sources.y() + s,
                            .source_mass = sources.mass() + s,
                            .sources = std::min(kSourcesAtATime, sources.count() - s),
                            .push_x = x,
                            .push_y = y,
                            .mass = mass});
    for (int64_t i = 0; i < group.count; ++i) {
      push.x[i] += x[i];
      push.y[i] += y[i];
      push.mass[i] += mass[i];
    }
  }
}

}  // namespace

void Repulsion::arrange(const float* points, int64_t count) {
  tree_.build(points, count);
  masses_.assign(tree_.groups().size(), 0);
  if (theta_ > 0) return;
  everything_.clear(count);
  everything_.add_points(tree_.x(), tree_.y(), count);
}

void Repulsion::push(int64_t part, SourceList& list, float* pushes) {
  const auto group = tree_.groups()[static_cast<size_t>(part)];
  if (theta_ > 0) tree_.collect(group, theta_, list);
  GroupPush push;
  add_sources(tree_, group, theta_ > 0 ? list : everything_, push);
  double mass = 0;
  for (int64_t i = 0; i < group.count; ++i) {
    const int64_t to = tree_.order()[group.first + i];
    pushes[2 * to] = static_cast<float>(push.x[i]);
    pushes[2 * to + 1] = static_cast<float>(push.y[i]);
    mass += push.mass[i] - 1;  // less the point itself
  }
  masses_[static_cast<size_t>(part)] = mass;
}

double Repulsion::mass() const {
  double sum = 0;
  for (const double mass : masses_) sum += mass;
  return sum;
}

}  // namespace projnce
