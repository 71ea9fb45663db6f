#pragma once

#include <vector>

namespace projnce {

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

}  // namespace projnce
