#include "projnce/kernel/repulsion.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "projnce/kernel/map_forces.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

constexpr int kLevels = 16;         // bits per coordinate
constexpr int32_t kLeafPoints = 8;  // maximum points of a leaf

/// Upper bound of theta^2: a cell with sides up to 1/sqrt(2) of the distance never contains the
/// group itself.
constexpr double kMaxSquaredTheta = 0.5;

/// Spreads the 16 bits of v to the even bits.
uint32_t spread_bits(uint32_t v) {
  v = (v | (v << 8)) & 0x00FF00FFU;
  v = (v | (v << 4)) & 0x0F0F0F0FU;
  v = (v | (v << 2)) & 0x33333333U;
  return (v | (v << 1)) & 0x55555555U;
}

/// Stable radix sort by the upper 32 bits of the keys, 11 bits at a time.
void radix_sort(std::vector<uint64_t>& keys, std::vector<uint64_t>& spare) {
  constexpr int kBits = 11;
  constexpr size_t kBuckets = size_t{1} << kBits;
  constexpr int kPasses = 3;
  std::array<std::array<uint32_t, kBuckets>, kPasses> starts{};
  const auto digit = [](uint64_t key, int pass) {
    return (key >> (32 + kBits * pass)) & (kBuckets - 1);
  };
  for (const auto key : keys) {
    for (int pass = 0; pass < kPasses; ++pass) ++starts[pass][digit(key, pass)];
  }
  spare.resize(keys.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    uint32_t before = 0;
    for (auto& start : starts[pass]) before += std::exchange(start, before);
    for (const auto key : keys) spare[starts[pass][digit(key, pass)]++] = key;
    keys.swap(spare);
  }
}

}  // namespace

void PointTree::build(const float* points, int64_t count) {
  count_ = count;
  nodes_.clear();
  groups_.clear();
  if (count == 0) return;
  sort(points);
  add_node(0, static_cast<int32_t>(count), /*parent=*/0);
}

void PointTree::sort(const float* points) {
  float low[2] = {points[0], points[1]};
  float high[2] = {points[0], points[1]};
  for (int64_t i = 0; i < count_; ++i) {
    for (int c = 0; c < 2; ++c) {
      low[c] = std::min(low[c], points[2 * i + c]);
      high[c] = std::max(high[c], points[2 * i + c]);
    }
  }
  width_ = std::max(high[0] - low[0], high[1] - low[1]);
  constexpr float kCells = 1 << kLevels;
  const float scale = width_ > 0 ? kCells / width_ : 0;
  const auto cell = [scale](float offset) {
    return static_cast<uint32_t>(std::min(offset * scale, kCells - 1));
  };
  keys_.resize(static_cast<size_t>(count_));
  for (int64_t i = 0; i < count_; ++i) {
    const uint32_t code = spread_bits(cell(points[2 * i] - low[0])) |
                          (spread_bits(cell(points[2 * i + 1] - low[1])) << 1);
    keys_[static_cast<size_t>(i)] = (uint64_t{code} << 32) | static_cast<uint64_t>(i);
  }
  radix_sort(keys_, spare_);
  x_.resize(static_cast<size_t>(count_ + kPadding));
  y_.resize(static_cast<size_t>(count_ + kPadding));
  order_.resize(static_cast<size_t>(count_));
  for (size_t i = 0; i < keys_.size(); ++i) {
    const auto from = static_cast<int32_t>(keys_[i] & 0xFFFFFFFFU);
    order_[i] = from;
    x_[i] = points[2 * from];
    y_[i] = points[2 * from + 1];
  }
}

/// Adds the subtree of points first .. end - 1: the smallest cell that contains them. `parent` is
/// the first point of an ancestor that is too large for a group, or kGrouped within a group.
PointTree::Sums PointTree::add_node(int32_t first, int32_t end, int32_t parent) {
  const int32_t count = end - first;
  const int level = std::countl_zero(code(first) ^ code(end - 1)) / 2;
  if (parent != kGrouped && (count <= kGroupPoints || level == kLevels)) {
    add_group(first, end, parent);
    parent = kGrouped;
  }
  const size_t node = nodes_.size();
  nodes_.emplace_back();
  const bool many_in_one_place = level == kLevels && count > kGroupPoints;
  const bool leaf = count <= kLeafPoints || level == kLevels;
  Sums sums;
  if (leaf) {
    for (int32_t i = first; i < end; ++i) sums += {x_[i], y_[i]};
  } else {
    sums = add_children(first, end, level, parent == kGrouped ? kGrouped : first);
  }
  const float width = many_in_one_place ? 0 : std::ldexp(width_, -level);
  nodes_[node] = {.x = static_cast<float>(sums.x / count),
                  .y = static_cast<float>(sums.y / count),
                  .mass = static_cast<float>(count),
                  .squared_width = width * width,
                  .next = static_cast<int32_t>(nodes_.size()),
                  .first = first,
                  .points = leaf ? count : 0};
  return sums;
}

/// Adds the up to four quadrants of a cell, distinguished by the two bits of `level`.
PointTree::Sums PointTree::add_children(int32_t first, int32_t end, int level, int32_t parent) {
  const int shift = 2 * (kLevels - 1 - level);
  Sums sums;
  for (int32_t begin = first; begin < end;) {
    const uint32_t quarter = code(begin) >> shift;
    const auto last = std::partition_point(
        keys_.begin() + begin, keys_.begin() + end,
        [&](uint64_t key) { return static_cast<uint32_t>(key >> 32) >> shift == quarter; });
    const auto stop = static_cast<int32_t>(last - keys_.begin());
    sums += add_node(begin, stop, parent);
    begin = stop;
  }
  return sums;
}

/// Adds the points of one cell; merges them with the previous group if they fit and have the same
/// parent.
void PointTree::add_group(int32_t first, int32_t end, int32_t parent) {
  if (!groups_.empty() && groups_.back().first >= parent &&
      end - groups_.back().first <= kGroupPoints) {
    groups_.back().count = end - groups_.back().first;
    return;
  }
  for (; first < end; first += kGroupPoints) {
    groups_.push_back({first, std::min(kGroupPoints, end - first)});
  }
}

void PointTree::collect(const Group& group, double theta, SourceList& list) const {
  const auto [left, right] =
      std::minmax_element(x_.begin() + group.first, x_.begin() + group.first + group.count);
  const auto [bottom, top] =
      std::minmax_element(y_.begin() + group.first, y_.begin() + group.first + group.count);
  const float middle_x = (*left + *right) / 2, half_x = (*right - *left) / 2;
  const float middle_y = (*bottom + *top) / 2, half_y = (*top - *bottom) / 2;
  const auto squared_theta = static_cast<float>(std::min(theta * theta, kMaxSquaredTheta));
  list.clear(count_);
  const auto end = static_cast<int32_t>(nodes_.size());
  for (int32_t n = 0; n < end;) {
    const Node& node = nodes_[static_cast<size_t>(n)];
    const float dx = std::max(0.0F, std::abs(node.x - middle_x) - half_x);
    const float dy = std::max(0.0F, std::abs(node.y - middle_y) - half_y);
    if (node.squared_width <= squared_theta * (dx * dx + dy * dy)) {
      list.add(node.x, node.y, node.mass);
      n = node.next;
    } else if (node.points > 0) {
      list.add_points(x_.data() + node.first, y_.data() + node.first, node.points);
      n = node.next;
    } else {
      ++n;
    }
  }
}

namespace {

constexpr int64_t kRoom = PointTree::kGroupPoints + PointTree::kPadding;
constexpr int64_t kSourcesAtATime = 2048;  // few enough to sum in single precision

/// Accumulated forces on the points of a group.
struct GroupForces {
  double x[kRoom] = {};
  double y[kRoom] = {};
  double mass[kRoom] = {};
};

void add_sources(const PointTree& tree, const PointTree::Group& group, const SourceList& sources,
                 GroupForces& push) {
  alignas(64) float x[kRoom], y[kRoom], mass[kRoom];
  for (int64_t s = 0; s < sources.count(); s += kSourcesAtATime) {
    kernels<float>().repel({.x = tree.x() + group.first,
                            .y = tree.y() + group.first,
                            .targets = group.count,
                            .source_x = sources.x() + s,
                            .source_y = sources.y() + s,
                            .source_mass = sources.mass() + s,
                            .sources = std::min(kSourcesAtATime, sources.count() - s),
                            .force_x = x,
                            .force_y = y,
                            .mass = mass});
    for (int64_t i = 0; i < group.count; ++i) {
      push.x[i] += x[i];
      push.y[i] += y[i];
      push.mass[i] += mass[i];
    }
  }
}

}  // namespace

void Repulsion::build(const float* points, int64_t count) {
  tree_.build(points, count);
  masses_.assign(tree_.groups().size(), 0);
  if (theta_ > 0) return;
  all_points_.clear(count);
  all_points_.add_points(tree_.x(), tree_.y(), count);
}

void Repulsion::compute_forces(int64_t part, SourceList& list, float* forces) {
  const auto group = tree_.groups()[static_cast<size_t>(part)];
  if (theta_ > 0) tree_.collect(group, theta_, list);
  GroupForces push;
  add_sources(tree_, group, theta_ > 0 ? list : all_points_, push);
  double mass = 0;
  for (int64_t i = 0; i < group.count; ++i) {
    const int64_t to = tree_.order()[group.first + i];
    forces[2 * to] = static_cast<float>(push.x[i]);
    forces[2 * to + 1] = static_cast<float>(push.y[i]);
    mass += push.mass[i] - 1;  // minus the point itself
  }
  masses_[static_cast<size_t>(part)] = mass;
}

double Repulsion::mass() const {
  double sum = 0;
  for (const double mass : masses_) sum += mass;
  return sum;
}

}  // namespace projnce::kernel
