#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace projnce::kernel {

/// Masses that repel a group of points: distant cells of the tree and single nearby points.
class SourceList {
 public:
  const float* x() const { return x_.data(); }
  const float* y() const { return y_.data(); }
  const float* mass() const { return mass_.data(); }
  int64_t count() const { return count_; }

  /// Clears the list and reserves room for `capacity` masses.
  void clear(int64_t capacity) {
    count_ = 0;
    if (static_cast<int64_t>(x_.size()) >= capacity) return;
    for (auto* numbers : {&x_, &y_, &mass_}) numbers->resize(static_cast<size_t>(capacity));
  }

  void add(float x, float y, float mass) {
    const auto at = static_cast<size_t>(count_++);
    x_[at] = x;
    y_[at] = y;
    mass_[at] = mass;
  }

  void add_points(const float* x, const float* y, int64_t count) {
    for (int64_t i = 0; i < count; ++i) add(x[i], y[i], 1);
  }

 private:
  std::vector<float> x_;
  std::vector<float> y_;
  std::vector<float> mass_;
  int64_t count_ = 0;
};

/// Quadtree over points of a plane, sorted by Morton code (16 bits per coordinate), so that
/// neighbors in the plane are mostly neighbors in memory. Rebuilt for new positions, reusing its
/// memory. Deterministic.
class PointTree {
 public:
  /// Adjacent points that share one traversal of the tree.
  struct Group {
    int32_t first;
    int32_t count;
  };
  static constexpr int32_t kGroupPoints = 64;  ///< maximum points per group
  /// Number of elements that may be read beyond the last point.
  static constexpr int64_t kPadding = 32;

  /// REQUIRES: `points` [count, 2] are finite, count < 2^31.
  void build(const float* points, int64_t count);

  int64_t size() const { return count_; }
  const std::vector<Group>& groups() const { return groups_; }
  /// Points in tree order, and their original indices.
  const float* x() const { return x_.data(); }
  const float* y() const { return y_.data(); }
  const int32_t* order() const { return order_.data(); }

  /// Collects the sources that repel a group (Barnes-Hut): a cell counts as one mass at its center
  /// of mass if its width is below theta times the distance of that center from the group's
  /// bounding box. theta is limited to 0.7, so that no group is part of such a cell. Many points
  /// with equal 16-bit coordinates also count as one mass.
  void collect(const Group& group, double theta, SourceList& list) const;

 private:
  struct Node {
    float x;  // center of mass
    float y;
    float mass;
    float squared_width;
    int32_t next;    // next node after this subtree
    int32_t first;   // first point
    int32_t points;  // number of points of a leaf; 0 for inner nodes
  };
  struct Sums {
    double x = 0;
    double y = 0;
    void operator+=(const Sums& other) {
      x += other.x;
      y += other.y;
    }
  };
  static constexpr int32_t kGrouped = -1;

  uint32_t code(int32_t i) const {
    return static_cast<uint32_t>(keys_[static_cast<size_t>(i)] >> 32);
  }
  void sort(const float* points);
  Sums add_node(int32_t first, int32_t end, int32_t parent);
  Sums add_children(int32_t first, int32_t end, int level, int32_t parent);
  void add_group(int32_t first, int32_t end, int32_t parent);

  int64_t count_ = 0;
  float width_ = 0;             // side of the square around all points
  std::vector<uint64_t> keys_;  // Morton code above the index
  std::vector<uint64_t> spare_;
  std::vector<float> x_;
  std::vector<float> y_;
  std::vector<int32_t> order_;
  std::vector<Node> nodes_;
  std::vector<Group> groups_;
};

/// Repulsive forces of t-SNE between points of a plane. With q_ij = 1 / (1 + |i - j|^2):
///
///   force_i = sum_{j != i} q_ij^2 (i - j),   Z = sum_i sum_{j != i} q_ij
///
/// Uses the Barnes-Hut approximation (PointTree::collect); theta = 0 is exact. The result does not
/// depend on the number of threads.
class Repulsion {
 public:
  explicit Repulsion(double theta) : theta_(theta) {}

  /// First step, on one thread: builds the tree over points [count, 2].
  void build(const float* points, int64_t count);

  /// Number of parts of the second step, which may run concurrently and in any order.
  int64_t parts() const { return static_cast<int64_t>(tree_.groups().size()); }
  /// Writes the forces [count, 2] of the points in this part. `list` is scratch memory of the
  /// thread.
  void compute_forces(int64_t part, SourceList& list, float* forces);

  /// Returns Z, after all parts are done.
  double mass() const;

 private:
  double theta_;
  PointTree tree_;
  SourceList all_points_;       // used if theta is 0
  std::vector<double> masses_;  // contribution of each part to Z
};

}  // namespace projnce::kernel
