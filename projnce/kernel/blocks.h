#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace projnce::kernel {

/// Rows split into blocks of equal size; the last may be shorter.
struct RowBlocks {
  int64_t rows;
  int64_t size;

  int64_t count() const { return (rows + size - 1) / size; }
  int64_t begin(int64_t block) const { return block * size; }
  int64_t length(int64_t block) const { return std::min(size, rows - begin(block)); }
};

/// Returns the number of rows per tile: small enough for a core's cache and for balanced threads,
/// and a multiple of every panel width. Depends only on `rows`, so that the order of sums does not
/// depend on the number of threads.
int64_t tile_rows(int64_t rows);

struct BlockPair {
  int64_t row;
  int64_t column;
};

/// Every unordered pair of blocks once, in rounds in which no block occurs twice (the circle method
/// of round-robin tournaments). The pairs of a round can run in parallel, because each adds to its
/// own two blocks. Round 0 pairs each block with itself.
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

/// Maximum number of threads used by the loops below.
inline int kernel_threads() {
  return omp_get_max_threads();
}

/// Calls work(k, thread) for k = 0 .. count - 1 on all threads. `work` must not throw, so allocate
/// memory beforehand.
template <class Work>
void run_parallel(int64_t count, const Work& work) {
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
  for (int64_t k = 0; k < count; ++k) work(k, omp_get_thread_num());
}

/// Issues the pairs of a schedule in order, and starts each when the earlier pairs of both of its
/// blocks are finished. Hence each block accumulates its sums in the same order for any number of
/// threads, and no thread waits for a whole round to end.
template <class Schedule>
class PairQueue {
 public:
  explicit PairQueue(const Schedule& schedule)
      : schedule_(schedule),
        issued_(static_cast<size_t>(schedule.slots())),
        finished_(static_cast<size_t>(schedule.slots())) {}

  struct Task {
    BlockPair pair;
    BlockPair slots;     // counters of the pair's blocks
    BlockPair sequence;  // position of this task among those of each block
  };

  /// Waits until the next task may start; returns false after the last one.
  bool take(Task& task) {
    {
      const std::lock_guard lock(mutex_);
      while (round_ < schedule_.rounds() && next_ == schedule_.pairs(round_)) {
        ++round_;
        next_ = 0;
      }
      if (round_ == schedule_.rounds()) return false;
      task.pair = schedule_.pair(round_, next_++);
      task.slots = schedule_.slots(task.pair);
      task.sequence.row = issued_[static_cast<size_t>(task.slots.row)]++;
      task.sequence.column = task.slots.column == task.slots.row
                                 ? task.sequence.row
                                 : issued_[static_cast<size_t>(task.slots.column)]++;
    }
    wait(task.slots.row, task.sequence.row);
    wait(task.slots.column, task.sequence.column);
    return true;
  }

  void finish(const Task& task) {
    advance(task.slots.row);
    if (task.slots.column != task.slots.row) advance(task.slots.column);
  }

 private:
  /// Spins before sleeping: a tile takes about ten microseconds, and so does waking a thread.
  void wait(int64_t slot, int64_t sequence) {
    constexpr int kSpins = 20000;
    const auto& finished = finished_[static_cast<size_t>(slot)];
    for (int spin = 0; spin < kSpins; ++spin) {
      if (finished.load(std::memory_order_acquire) == sequence) return;
    }
    for (int64_t seen = finished.load(); seen != sequence; seen = finished.load()) {
      finished.wait(seen);
    }
  }
  void advance(int64_t slot) {
    auto& finished = finished_[static_cast<size_t>(slot)];
    finished.fetch_add(1);
    finished.notify_all();
  }

  const Schedule schedule_;
  std::mutex mutex_;
  int64_t round_ = 0;
  int64_t next_ = 0;
  std::vector<int64_t> issued_;
  std::vector<std::atomic<int64_t>> finished_;
};

/// Calls work(pair, thread) for every pair of the schedule on all threads; the pairs of each block
/// run in the order of the rounds. `work` must not throw.
template <class Schedule, class Work>
void run_rounds(const Schedule& schedule, const Work& work) {
  PairQueue<Schedule> queue(schedule);
#pragma omp parallel if (schedule.rounds() > 1)
  {
    typename PairQueue<Schedule>::Task task{};
    while (queue.take(task)) {
      work(task.pair, omp_get_thread_num());
      queue.finish(task);
    }
  }
}

}  // namespace projnce::kernel
