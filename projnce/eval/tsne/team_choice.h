#pragma once

#include <cstdint>

namespace projnce {

/// How many threads are best for short steps of work that meet after each: all of them, unless
/// other programs keep the processors busy. Then a thread that has to wait for its turn keeps the
/// others waiting, and one thread by itself may be several times as fast. For work whose results do
/// not depend on the threads.
///
/// Steps go in rounds: some by all threads; if the clock then ran clearly faster than this thread's
/// own time, some by one; and the rest of the round as was quicker.
class TeamChoice {
 public:
  TeamChoice();

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

}  // namespace projnce
