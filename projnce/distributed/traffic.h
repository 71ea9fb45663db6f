#pragma once

#include <cstdint>

namespace projnce {

/// What one rank sends during collective operations, by the formulas of Gloo's algorithms (not
/// measured): payload without headers; acknowledgements of TCP are no messages.
struct Traffic {
  int64_t bytes = 0;
  int64_t messages = 0;
};

/// Sum over ranks in a ring, first scattered, then gathered: 2 n (W - 1) / W bytes for n. Each
/// rank's part goes round in at least two pieces of at most 1 MiB.
Traffic sum_traffic(int64_t bytes, int world);

/// Every rank's block goes round the ring, in halves: (W - 1) times a block.
Traffic gather_traffic(int64_t block_bytes, int world);

/// Every rank sends each other one its part.
Traffic exchange_traffic(int64_t bytes_to_others, int world);

/// Binomial tree from rank 0: how often a rank passes on depends on its number.
Traffic broadcast_traffic(int64_t bytes, int rank, int world);

/// Empty messages to log2(W) others.
Traffic barrier_traffic(int world);

}  // namespace projnce
