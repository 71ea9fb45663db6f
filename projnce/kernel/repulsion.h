#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace projnce::kernel {

/// Masses that push a group of points: far parts of a tree and single points near by.
class SourceList {
 public:
  const float* x() const { return x_.data(); }
  const float* y() const { return y_.data(); }
  const float* mass() const { return mass_.data(); }
  int64_t count() const { return count_; }

  /// Empty, with room for `capacity` masses.
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

/// A quadtree over points of a plane, in the order of their Morton codes (16 bits a coordinate), so
/// that neighbors in the plane mostly are neighbors in memory. Built anew for new positions;
/// keeps its memory. The same points give the same tree.
class PointTree {
 public:
  /// Some points next to each other that share one walk through the tree.
  struct Group {
    int32_t first;
    int32_t count;
  };
  static constexpr int32_t kGroupPoints = 64;  ///< at most
  /// Numbers that may be read beyond the last point.
  static constexpr int64_t kPadding = 32;

  /// points is [count, 2]; finite, below 2^31 of them.
  void build(const float* points, int64_t count);

  int64_t size() const { return count_; }
  const std::vector<Group>& groups() const { return groups_; }
  /// Points in the order of the tree, and which they were.
  const float* x() const { return x_.data(); }
  const float* y() const { return y_.data(); }
  const int32_t* order() const { return order_.data(); }

  /// What pushes a group: a part of the tree counts as one mass in its center where its width is
  /// below theta times the distance of that center from the group's bounding box, so from each of
  /// its points. A theta above 0.7 is taken for 0.7: no group is ever part of such a mass. Points
  /// that not even 16 bits tell apart count as one mass if they are many.
  void collect(const Group& group, double theta, SourceList& list) const;

 private:
  struct Node {
    float x;  // center of mass
    float y;
    float mass;
    float squared_width;
    int32_t next;    // the node after this one and all within it
    int32_t first;   // of its points
    int32_t points;  // of a leaf; 0 where children follow
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
  float width_ = 0;             // of the square around all points
  std::vector<uint64_t> keys_;  // Morton code above the index
  std::vector<uint64_t> spare_;
  std::vector<float> x_;
  std::vector<float> y_;
  std::vector<int32_t> order_;
  std::vector<Node> nodes_;
  std::vector<Group> groups_;
};

/// How points of a plane push each other away in t-SNE. With q_ij = 1 / (1 + |i - j|^2):
///
///   push_i = sum_{j != i} q_ij^2 (i - j),   Z = sum_i sum_{j != i} q_ij
///
/// Far points count together (PointTree::collect), with theta = 0 each by itself. What a point gets
/// depends on the points alone, not on threads.
class Repulsion {
 public:
  explicit Repulsion(double theta) : theta_(theta) {}

  /// The first step, by one thread: the tree over points [count, 2].
  void arrange(const float* points, int64_t count);

  /// The second step, whose parts may be done at once and in any order.
  int64_t parts() const { return static_cast<int64_t>(tree_.groups().size()); }
  /// Writes the pushes [count, 2] of the points in this part. `list` is memory of the thread.
  void push(int64_t part, SourceList& list, float* pushes);

  /// Z, when all parts are done.
  double mass() const;

 private:
  double theta_;
  PointTree tree_;
  SourceList everything_;       // where theta is 0
  std::vector<double> masses_;  // of the parts
};

}  // namespace projnce::kernel
