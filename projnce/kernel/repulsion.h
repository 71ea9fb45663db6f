#pragma once

#include <cstdint>
#include <vector>

#include "projnce/kernel/point_tree.h"

namespace projnce {

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

}  // namespace projnce
