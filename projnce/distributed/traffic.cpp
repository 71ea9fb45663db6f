#include "projnce/distributed/traffic.h"

#include <algorithm>

namespace projnce {

Traffic sum_traffic(int64_t bytes, int world) {
  constexpr int64_t kPieceBytes = int64_t{1} << 20;
  const int64_t all_pieces = (bytes + kPieceBytes - 1) / kPieceBytes;
  const int64_t pieces = std::max<int64_t>(2, (all_pieces + world - 1) / world);
  return {2 * bytes * (world - 1) / world, 2 * pieces * (world - 1)};
}

Traffic gather_traffic(int64_t block_bytes, int world) {
  return {block_bytes * (world - 1), int64_t{2} * (world - 1)};
}

Traffic exchange_traffic(int64_t bytes_to_others, int world) {
  return {bytes_to_others, world - 1};
}

Traffic broadcast_traffic(int64_t bytes, int rank, int world) {
  // In round k the ranks below 2^k have the bytes, and each of them serves the one 2^k further on.
  int64_t messages = 0;
  for (int64_t have = 1; have < world; have *= 2) {
    if (rank < have && rank + have < world) ++messages;
  }
  return {bytes * messages, messages};
}

Traffic barrier_traffic(int world) {
  int64_t messages = 0;
  for (int64_t distance = 1; distance < world; distance *= 2) ++messages;
  return {0, messages};
}

}  // namespace projnce
