#pragma once

#include <cstdint>
#include <vector>

#include "projnce/eval/tsne/affinities.h"
#include "projnce/eval/tsne/team_choice.h"
#include "projnce/kernel/repulsion.h"

namespace projnce {

/// The map of t-SNE on its way down the gradient of
///
///   KL = sum_ij p_ij log(p_ij / q_ij),   q_ij = 1 / (1 + |i - j|^2) / Z,
///
/// with momentum and a gain for each coordinate, which grows while the gradient keeps its sign.
/// Work is cut in the same way for any number of threads: so are the results, to the bit.
class MapDescent {
 public:
  struct Step {
    double learning_rate;
    double momentum;
    double exaggeration;  ///< times the pulls: makes clusters gather and move as one
  };

  /// start is [N, 2]; theta as in Repulsion.
  MapDescent(Affinities affinities, std::vector<float> start, double theta);

  void step(const Step& step);
  /// Forgets momentum and gains.
  void rest();
  /// Moves the points to positions [N, 2], at rest.
  void move_to(const std::vector<float>& positions);
  /// Number of the latest steps in a row that contracted the map in both directions below its
  /// smallest spread (map_spread.h).
  int64_t contracted_steps() const { return contracted_steps_; }

  /// Puts points that are near each other in the map near each other in memory, for speed.
  void sort_points();

  /// [N, 2], the mean 0 after a step.
  std::vector<float> positions() const { return as_given(positions_); }

  /// KL at the positions; Z comes from the tree, exact where theta is 0.
  double divergence();
  /// Its gradient [N, 2], the pulls exaggerated.
  std::vector<float> gradient(double exaggeration);

 private:
  void find_forces();
  std::vector<float> as_given(const std::vector<float>& pairs) const;
  void centre();

  Affinities affinities_;
  std::vector<int32_t> numbers_;  // of the points before they were sorted
  Repulsion repulsion_;
  std::vector<SourceList> lists_;  // of the threads
  std::vector<float> positions_;
  std::vector<float> pulls_;
  std::vector<float> pushes_;
  std::vector<float> velocities_;
  std::vector<float> gains_;
  double mass_ = 0;
  int64_t contracted_steps_ = 0;
  TeamChoice team_;
};

}  // namespace projnce
