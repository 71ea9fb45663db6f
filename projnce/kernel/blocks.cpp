#include "projnce/kernel/blocks.h"

namespace projnce::kernel {

int64_t tile_rows(int64_t rows) {
  constexpr int64_t kStep = 48;
  constexpr int64_t kMost = 192;
  constexpr int64_t kEnoughBlocks = 8;
  return std::clamp(rows / kEnoughBlocks / kStep * kStep, kStep, kMost);
}

RoundRobinSchedule::RoundRobinSchedule(int64_t blocks)
    : blocks_(blocks), even_blocks_(blocks + blocks % 2) {}

int64_t RoundRobinSchedule::pairs(int64_t round) const {
  if (round == 0) return blocks_;
  return blocks_ / 2;  // the block paired with the dummy block is idle
}

BlockPair RoundRobinSchedule::pair(int64_t round, int64_t k) const {
  if (round == 0) return {k, k};
  const int64_t circle = even_blocks_ - 1;  // all blocks but the last rotate
  const int64_t rotation = round - 1;
  if (even_blocks_ != blocks_) ++k;  // pair 0 holds the dummy block
  if (k == 0) return {rotation, circle};
  const int64_t a = (rotation + k) % circle;
  const int64_t b = (rotation - k + circle) % circle;
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace projnce::kernel
