#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "projnce/kernel/blocks.h"

namespace projnce {

/// The most threads that the loops below use.
inline int kernel_threads() {
  return omp_get_max_threads();
}

/// Calls work(k, thread) for k = 0 .. count-1 on all threads. `work` must not throw: memory is got
/// beforehand.
template <class Work>
void run_parallel(int64_t count, const Work& work) {
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
  for (int64_t k = 0; k < count; ++k) work(k, omp_get_thread_num());
}

/// Hands out the pairs of a schedule, round after round, and lets each begin when both of its
/// blocks have finished the pairs they were given before. A block thus receives its sums in the
/// same order whatever the threads, and nobody waits for a whole round to end.
template <class Schedule>
class PairQueue {
 public:
  explicit PairQueue(const Schedule& schedule)
      : schedule_(schedule),
        given_(static_cast<size_t>(schedule.slots())),
        finished_(static_cast<size_t>(schedule.slots())) {}

  struct Turn {
    BlockPair pair;
    BlockPair slots;    // where the pair's blocks are counted
    BlockPair tickets;  // pairs that each of them was given before
  };

  /// False when all have been handed out.
  bool take(Turn& turn) {
    {
      const std::lock_guard lock(mutex_);
      while (round_ < schedule_.rounds() && next_ == schedule_.pairs(round_)) {
        ++round_;
        next_ = 0;
      }
      if (round_ == schedule_.rounds()) return false;
      turn.pair = schedule_.pair(round_, next_++);
      turn.slots = schedule_.slots(turn.pair);
      turn.tickets.row = given_[static_cast<size_t>(turn.slots.row)]++;
      turn.tickets.column = turn.slots.column == turn.slots.row
                                ? turn.tickets.row
                                : given_[static_cast<size_t>(turn.slots.column)]++;
    }
    wait(turn.slots.row, turn.tickets.row);
    wait(turn.slots.column, turn.tickets.column);
    return true;
  }

  void finish(const Turn& turn) {
    advance(turn.slots.row);
    if (turn.slots.column != turn.slots.row) advance(turn.slots.column);
  }

 private:
  /// A tile takes some ten microseconds, waking a sleeping thread about as long: looks for a while
  /// before it sleeps.
  void wait(int64_t slot, int64_t ticket) {
    constexpr int kLooks = 20000;
    const auto& finished = finished_[static_cast<size_t>(slot)];
    for (int look = 0; look < kLooks; ++look) {
      if (finished.load(std::memory_order_acquire) == ticket) return;
    }
    for (int64_t seen = finished.load(); seen != ticket; seen = finished.load()) {
      finished.wait(seen);
    }
  }
  void advance(int64_t slot) {
    auto& finished = finished_[static_cast<size_t>(slot)];
    finished.fetch_add(1);
    finished.notify_all();
  }

  const Schedule& schedule_;
  std::mutex mutex_;
  int64_t round_ = 0;
  int64_t next_ = 0;
  std::vector<int64_t> given_;
  std::vector<std::atomic<int64_t>> finished_;
};

/// Calls work(pair, thread) for every pair of the schedule on all threads; for each block in the
/// order of the rounds. `work` must not throw.
template <class Schedule, class Work>
void run_rounds(const Schedule& schedule, const Work& work) {
  PairQueue<Schedule> queue(schedule);
#pragma omp parallel if (schedule.rounds() > 1)
  {
    typename PairQueue<Schedule>::Turn turn{};
    while (queue.take(turn)) {
      work(turn.pair, omp_get_thread_num());
      queue.finish(turn);
    }
  }
}

}  // namespace projnce
