#pragma once

#include <algorithm>
#include <cstdint>

namespace projnce {

/// Rows cut into blocks of equal size; the last may be shorter.
struct RowBlocks {
  int64_t rows;
  int64_t size;

  int64_t count() const { return (rows + size - 1) / size; }
  int64_t begin(int64_t block) const { return block * size; }
  int64_t length(int64_t block) const { return std::min(size, rows - begin(block)); }
};

/// Rows of a tile: few enough for a core's cache, a multiple of every panel's width, and small
/// enough that threads share the blocks evenly. Depends on the rows alone, so the order of sums
/// does not depend on the number of threads.
int64_t tile_rows(int64_t rows);

struct BlockPair {
  int64_t row;
  int64_t column;
};

/// Every unordered pair of blocks once, in rounds in which no block occurs twice (the circle method
/// of round-robin tournaments). The pairs of a round can run in parallel, because each adds to its
/// own two blocks (rounds.h runs them). Round 0 pairs each block with itself.
class RoundRobinSchedule {
 public:
  explicit RoundRobinSchedule(int64_t blocks);

  int64_t rounds() const { return even_blocks_; }
  int64_t pairs(int64_t round) const;
  BlockPair pair(int64_t round, int64_t k) const;

  /// Indices of a pair's two blocks among all blocks.
  int64_t slots() const { return blocks_; }
  BlockPair slots(BlockPair pair) const { return pair; }

 private:
  int64_t blocks_;
  int64_t even_blocks_;  // with a dummy block if their number is odd
};

/// Every pair of a row block with a column block once, in rounds in which none occurs twice.
class BlockGrid {
 public:
  BlockGrid(int64_t row_blocks, int64_t column_blocks)
      : row_blocks_(row_blocks), column_blocks_(column_blocks) {}

  int64_t rounds() const { return std::max(row_blocks_, column_blocks_); }
  int64_t pairs(int64_t /*round*/) const { return std::min(row_blocks_, column_blocks_); }
  BlockPair pair(int64_t round, int64_t k) const {
    const int64_t other = (k + round) % rounds();
    return row_blocks_ <= column_blocks_ ? BlockPair{k, other} : BlockPair{other, k};
  }

  int64_t slots() const { return row_blocks_ + column_blocks_; }
  BlockPair slots(BlockPair pair) const { return {pair.row, row_blocks_ + pair.column}; }

 private:
  int64_t row_blocks_;
  int64_t column_blocks_;
};

}  // namespace projnce
