#pragma once

#include <cstdint>
#include <vector>

#include "projnce/eval/tsne/affinities.h"
#include "projnce/eval/tsne/tsne.h"
#include "projnce/kernel/repulsion.h"

namespace projnce::eval {

/// Keeps a t-SNE map two-dimensional: scales positions and velocities [N, 2] (mean of the
/// positions: 0) along each principal axis whose standard deviation is below `smallest`, up to
/// `smallest`. Returns true if both axes were below it.
///
/// Why this is needed. Around the origin all q_ij are equal, and the gradient is linear in the
/// positions y: 4 (e L - I / N) y, where L is the Laplacian of the affinities and e the
/// exaggeration. An eigenvector of L with the eigenvalue v expands if e N v < 1, otherwise it
/// contracts by a constant factor per step. Clusters have small eigenvalues. Rows without clusters
/// (2 000 normal rows of 16 dimensions: N v >= 0.26) contract in every direction while e is 12: the
/// spread falls from 1e-4 to 1e-21 within 250 steps. There velocity * gradient underflows to 0, all
/// gains decay to their minimum, and the map does not expand again in 1 000 steps. If only one
/// direction contracts, the map becomes a line. As the gradient is linear in a small direction,
/// scaling that direction does not change what the steps do, except that nothing vanishes.
bool raise_spread(std::vector<float>& positions, std::vector<float>& velocities, double smallest);

/// How many threads are best for short steps of work that meet after each: all of them, unless
/// other programs keep the processors busy. Then a thread that has to wait for its turn keeps the
/// others waiting, and one thread by itself may be several times as fast. For work whose results do
/// not depend on the threads.
///
/// Steps go in rounds: some by all threads; if the clock then ran clearly faster than this thread's
/// own time, some by one; and the rest of the round as was quicker.
class ThreadCountTuner {
 public:
  ThreadCountTuner();

  int threads() const { return alone_ ? 1 : team_; }
  void begin_step();
  void end_step();

 private:
  void end_trial();

  int team_;
  bool alone_ = false;
  int64_t step_ = 0;  // of the round
  double step_start_ = 0;
  double step_own_start_ = 0;
  double seconds_ = 0;  // of the trial under way
  double own_seconds_ = 0;
  double team_seconds_ = 0;
};

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
  /// smallest spread.
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
  void center();

  Affinities affinities_;
  std::vector<int32_t> numbers_;  // of the points before they were sorted
  kernel::Repulsion repulsion_;
  std::vector<kernel::SourceList> lists_;  // of the threads
  std::vector<float> positions_;
  std::vector<float> pulls_;
  std::vector<float> pushes_;
  std::vector<float> velocities_;
  std::vector<float> gains_;
  double mass_ = 0;
  int64_t contracted_steps_ = 0;
  ThreadCountTuner team_;
};

struct FittedMap {
  std::vector<float> positions;  // [N, 2]
  double divergence;
  int64_t iterations;
};

/// Moves the points from `start` [N, 2] as the options say; those of the start and of the
/// affinities do not matter any more. Throws where the learning rate is so large that the points
/// fly apart.
FittedMap fit_map(Affinities affinities, const std::vector<float>& start,
                  const TsneOptions& options, const TsneProgress& progress = {});

}  // namespace projnce::eval
