#include "projnce/distributed/launcher.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/io/child_process.h"
#include "projnce/io/filesystem/file_descriptor.h"
#include "projnce/io/filesystem/temporary_folder.h"

namespace projnce::distributed {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kGaveUp = 1;
constexpr int kInvalidInput = 2;
constexpr auto kPollInterval = std::chrono::milliseconds(10);
constexpr auto kGracePeriod = std::chrono::milliseconds(800);

volatile std::sig_atomic_t launcher_signal = 0;
volatile std::sig_atomic_t launcher_signals = 0;

void on_launcher_signal(int signal) {
  launcher_signal = signal;
  launcher_signals = launcher_signals + 1;
}

/// Records SIGINT and SIGTERM during its lifetime.
class SignalRecorder {
 public:
  SignalRecorder() {
    launcher_signal = 0;
    launcher_signals = 0;
    struct sigaction action = {};
    action.sa_handler = on_launcher_signal;
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
  }
  SignalRecorder(const SignalRecorder&) = delete;
  SignalRecorder& operator=(const SignalRecorder&) = delete;
  ~SignalRecorder() {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

struct RankProcess {
  pid_t id = -1;
  std::optional<int> status;  ///< waitpid status; unset while the process runs
};

RankProcess start_rank(const LaunchPlan& plan, const fs::path& dir, int attempt, int rank) {
  io::ChildPlan child = {
      .title = concat("rank ", rank),
      .program = plan.program,
      .arguments = attempt == 0 ? plan.arguments : plan.restart_arguments,
      .output = rank == 0 ? io::ChildOutput::kInherited : io::ChildOutput::kDiscarded,
  };
  child.environment = {
      concat("RANK=", rank),
      concat("LOCAL_RANK=", rank),
      concat("WORLD_SIZE=", plan.ranks),
      concat("LOCAL_WORLD_SIZE=", plan.ranks),
      concat("PROJNCE_RESTART_COUNT=", attempt),
      concat("PROJNCE_STORE_FILE=", (dir / concat("store-", attempt)).string()),
      concat("PROJNCE_LAUNCH_DIR=", dir.string()),
  };
  return {.id = io::start_process(child)};
}

/// The rank processes of one attempt. The destructor kills those still running.
class Attempt {
 public:
  Attempt(const LaunchPlan& plan, const fs::path& dir, int attempt) {
    for (int rank = 0; rank < plan.ranks; ++rank) {
      ranks_.push_back(start_rank(plan, dir, attempt, rank));
    }
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    send(SIGKILL);
    while (running()) reap(0);
  }

  /// Waits until all ranks have exited.
  void wait();

  /// Returns the status of the first rank that failed, or 0 if none did. A 2 from any rank takes
  /// precedence, because invalid input on one rank makes the others fail in other ways.
  int status() const;

  /// Describes the first rank that failed; empty if none did.
  const std::string& failure() const { return failure_; }

 private:
  bool running() const;
  void send(int signal) const;
  void reap(int options);
  void forward_signals();

  std::vector<RankProcess> ranks_;
  std::string failure_;
  int first_status_ = 0;
  std::optional<Clock::time_point> kill_time_;
  int signals_forwarded_ = 0;
};

bool Attempt::running() const {
  return std::any_of(ranks_.begin(), ranks_.end(),
                     [](const RankProcess& rank) { return !rank.status; });
}

void Attempt::send(int signal) const {
  for (const auto& rank : ranks_) {
    if (!rank.status) ::kill(rank.id, signal);
  }
}

/// Collects the status of ranks that have exited.
void Attempt::reap(int options) {
  for (size_t r = 0; r < ranks_.size(); ++r) {
    int status = 0;
    if (ranks_[r].status || ::waitpid(ranks_[r].id, &status, options) != ranks_[r].id) continue;
    ranks_[r].status = status;
    if (io::exit_status(status) == 0 || !failure_.empty()) continue;
    failure_ = concat("rank ", r, " ", io::describe_exit(status));
    first_status_ = io::exit_status(status);
    kill_time_ = Clock::now() + kGracePeriod;
  }
}

void Attempt::forward_signals() {
  if (signals_forwarded_ == launcher_signals) return;
  send(launcher_signals == 1 ? launcher_signal : SIGKILL);
  signals_forwarded_ = launcher_signals;
}

void Attempt::wait() {
  while (true) {
    forward_signals();
    reap(WNOHANG);
    if (!running()) return;
    // After a forwarded signal, ranks shut down on their own without a deadline.
    if (kill_time_ && signals_forwarded_ == 0 && Clock::now() > *kill_time_) send(SIGKILL);
    std::this_thread::sleep_for(kPollInterval);
  }
}

int Attempt::status() const {
  const bool invalid_input = std::any_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) {
    return rank.status && io::exit_status(*rank.status) == kInvalidInput;
  });
  return invalid_input ? kInvalidInput : first_status_;
}

}  // namespace

int launch(const LaunchPlan& plan) {
  if (plan.ranks < 1) fail("the number of ranks is ", plan.ranks, ", expected at least 1");
  io::check_program(plan.program);
  const SignalRecorder signals;
  const io::TemporaryFolder dir("launch");
  for (int attempt = 0;; ++attempt) {
    Attempt ranks(plan, dir.path(), attempt);
    ranks.wait();
    if (ranks.status() == 0 || launcher_signals > 0) return ranks.status();
    if (ranks.status() == kInvalidInput) {
      plan.log(ranks.failure() + "; not restarting because the input is invalid");
      return kInvalidInput;
    }
    if (attempt == plan.max_restarts) {
      plan.log(concat(ranks.failure(), "; gave up after ", counted(attempt, "restart")));
      return kGaveUp;
    }
    plan.log(concat(ranks.failure(), "; restarting all ranks (", attempt + 1, " of ",
                    plan.max_restarts, ")"));
  }
}

}  // namespace projnce::distributed
