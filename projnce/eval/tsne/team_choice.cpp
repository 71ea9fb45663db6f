#include "projnce/eval/tsne/team_choice.h"

#include <omp.h>
#include <time.h>

namespace projnce {

namespace {

constexpr int64_t kTrialSteps = 8;
constexpr int64_t kRoundSteps = 128;
constexpr double kBusy = 1.2;  // clock to own time

double time_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

TeamChoice::TeamChoice() : team_(omp_get_max_threads()) {}

void TeamChoice::begin_step() {
  if (step_ == 0) alone_ = false;
  step_start_ = time_of(CLOCK_MONOTONIC);
  step_own_start_ = time_of(CLOCK_THREAD_CPUTIME_ID);
}

void TeamChoice::end_step() {
  seconds_ += time_of(CLOCK_MONOTONIC) - step_start_;
  own_seconds_ += time_of(CLOCK_THREAD_CPUTIME_ID) - step_own_start_;
  ++step_;
  if (step_ % kTrialSteps == 0) end_trial();
  if (step_ == kRoundSteps) step_ = 0;
}

void TeamChoice::end_trial() {
  if (step_ == kTrialSteps) {
    team_seconds_ = seconds_;
    alone_ = seconds_ > kBusy * own_seconds_;
  } else if (step_ == 2 * kTrialSteps && alone_) {
    alone_ = seconds_ < team_seconds_;
  }
  seconds_ = own_seconds_ = 0;
}

}  // namespace projnce
