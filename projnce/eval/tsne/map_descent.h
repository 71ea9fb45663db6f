#pragma once

#include <cstdint>
#include <vector>

#include "projnce/eval/tsne/affinities.h"
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
  MapDescent(const Affinities& affinities, std::vector<float> start, double theta);

  void step(const Step& step);
  /// Forgets momentum and gains.
  void rest();

  /// [N, 2], the mean 0 after a step.
  const std::vector<float>& positions() const { return positions_; }

  /// KL at the positions; Z comes from the tree, exact where theta is 0.
  double divergence();
  /// Its gradient [N, 2], the pulls exaggerated.
  std::vector<float> gradient(double exaggeration);

 private:
  void find_forces();
  void centre();

  const Affinities& affinities_;
  Repulsion repulsion_;
  std::vector<SourceList> lists_;  // of the threads
  std::vector<float> positions_;
  std::vector<float> pulls_;
  std::vector<float> pushes_;
  std::vector<float> velocities_;
  std::vector<float> gains_;
  double mass_ = 0;
};

}  // namespace projnce
