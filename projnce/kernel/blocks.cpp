#include "projnce/kernel/blocks.h"

namespace projnce {

int64_t tile_rows(int64_t rows) {
  constexpr int64_t kStep = 48;
  constexpr int64_t kMost = 192;
  constexpr int64_t kEnoughBlocks = 8;
  return std::clamp(rows / kEnoughBlocks / kStep * kStep, kStep, kMost);
}

Tournament::Tournament(int64_t blocks) : blocks_(blocks), players_(blocks + blocks % 2) {}

int64_t Tournament::pairs(int64_t round) const {
  if (round == 0) return blocks_;
  return blocks_ / 2;  // who meets the absent player rests
}

BlockPair Tournament::pair(int64_t round, int64_t k) const {
  if (round == 0) return {k, k};
  const int64_t circle = players_ - 1;  // all but the last player turn; round 1 is the start
  const int64_t turn = round - 1;
  if (players_ != blocks_) ++k;  // pair 0 is the rest
  if (k == 0) return {turn, circle};
  const int64_t a = (turn + k) % circle;
  const int64_t b = (turn - k + circle) % circle;
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace projnce
