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
/// direction contracts, the map becomes a line. Since the gradient is linear in a small direction,
/// scaling that direction does not change the dynamics, except that it prevents underflow.
bool raise_spread(std::vector<float>& positions, std::vector<float>& velocities, double smallest);

/// Selects the number of threads for short steps with a barrier after each: all threads, unless
/// other programs use the CPUs. In that case a preempted thread delays all others, and a single
/// thread may be several times faster. Only for work whose result does not depend on the number of
/// threads.
///
/// Steps are grouped into rounds: some run on all threads; if the wall time then clearly exceeds
/// this thread's CPU time, some run on one thread; the rest of the round uses the faster choice.
class ThreadCountTuner {
 public:
  ThreadCountTuner();

  int threads() const { return single_ ? 1 : max_threads_; }
  void begin_step();
  void end_step();

 private:
  void end_trial();

  int max_threads_;
  bool single_ = false;
  int64_t step_ = 0;  // step of the round
  double step_start_ = 0;
  double step_cpu_start_ = 0;
  double seconds_ = 0;  // wall time of the current trial
  double cpu_seconds_ = 0;
  double parallel_seconds_ = 0;
};

/// Gradient descent of t-SNE on
///
///   KL = sum_ij p_ij log(p_ij / q_ij),   q_ij = 1 / (1 + |i - j|^2) / Z,
///
/// with momentum and a gain for each coordinate, which grows while the gradient keeps its sign.
/// Results are bit-identical for any number of threads.
class MapDescent {
 public:
  struct Step {
    double learning_rate;
    double momentum;
    double exaggeration;  ///< factor on the attractive forces; makes clusters form early
  };

  /// `start` is [N, 2]; `theta` as in Repulsion.
  MapDescent(Affinities affinities, std::vector<float> start, double theta);

  void step(const Step& step);
  /// Resets momentum and gains.
  void reset_momentum();
  /// Moves the points to positions [N, 2] and resets momentum and gains.
  void move_to(const std::vector<float>& positions);
  /// Number of consecutive steps up to now that contracted the map below its minimum spread in both
  /// directions.
  int64_t contracted_steps() const { return contracted_steps_; }

  /// Sorts the points so that neighbors in the map are adjacent in memory, for speed.
  void sort_points();

  /// Returns the positions [N, 2]; their mean is 0 after a step.
  std::vector<float> positions() const { return in_original_order(positions_); }

  /// Returns the KL divergence; Z comes from the tree and is exact if theta is 0.
  double divergence();
  /// Returns its gradient [N, 2], with exaggerated attraction.
  std::vector<float> gradient(double exaggeration);

 private:
  void find_forces();
  std::vector<float> in_original_order(const std::vector<float>& pairs) const;
  void center();

  Affinities affinities_;
  std::vector<int32_t> original_;  // original indices of the points
  kernel::Repulsion repulsion_;
  std::vector<kernel::SourceList> lists_;  // one per thread
  std::vector<float> positions_;
  std::vector<float> attraction_;
  std::vector<float> repulsion_forces_;
  std::vector<float> velocities_;
  std::vector<float> gains_;
  double mass_ = 0;
  int64_t contracted_steps_ = 0;
  ThreadCountTuner tuner_;
};

struct FittedMap {
  std::vector<float> positions;  // [N, 2]
  double divergence;
  int64_t iterations;
};

/// Optimizes the map from `start` [N, 2]; ignores the options about start and affinities. Throws if
/// the optimization diverges because the learning rate is too large.
FittedMap fit_map(Affinities affinities, const std::vector<float>& start,
                  const TsneOptions& options, const TsneProgress& progress = {});

}  // namespace projnce::eval
