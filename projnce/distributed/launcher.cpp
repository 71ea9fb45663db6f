#include "projnce/distributed/launcher.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "projnce/core/error.h"
#include "projnce/io/system_error.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kGaveUp = 1;
constexpr int kWrongInput = 2;
constexpr auto kLookInterval = std::chrono::milliseconds(10);
constexpr auto kTimeToNotice = std::chrono::milliseconds(800);

volatile std::sig_atomic_t launcher_signal = 0;
volatile std::sig_atomic_t launcher_signals = 0;

void on_launcher_signal(int signal) {
  launcher_signal = signal;
  launcher_signals = launcher_signals + 1;
}

/// Notes SIGINT and SIGTERM while it lives.
class SignalNotes {
 public:
  SignalNotes() {
    launcher_signal = 0;
    launcher_signals = 0;
    struct sigaction action = {};
    action.sa_handler = on_launcher_signal;
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
  }
  SignalNotes(const SignalNotes&) = delete;
  SignalNotes& operator=(const SignalNotes&) = delete;
  ~SignalNotes() {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

/// A directory for this user alone that goes with everything in it.
class LaunchDir {
 public:
  LaunchDir() {
    auto pattern = (fs::temp_directory_path() / "projnce-launch-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) fail_system(errno, "cannot create ", pattern);
    path_ = pattern;
  }
  LaunchDir(const LaunchDir&) = delete;
  LaunchDir& operator=(const LaunchDir&) = delete;
  ~LaunchDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Strings as exec wants them: pointers, ended by a null pointer.
class StringPointers {
 public:
  explicit StringPointers(std::vector<std::string> strings) : strings_(std::move(strings)) {
    for (auto& string : strings_) pointers_.push_back(string.data());
    pointers_.push_back(nullptr);
  }
  StringPointers(const StringPointers&) = delete;
  StringPointers& operator=(const StringPointers&) = delete;

  char* const* get() const { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

/// Our environment with these "NAME=value" instead of what it had of the same names.
std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> result = settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto name = text.substr(0, text.find('=') + 1);
    if (std::none_of(settings.begin(), settings.end(),
                     [&](const std::string& setting) { return setting.starts_with(name); })) {
      result.push_back(text);
    }
  }
  return result;
}

struct RankProcess {
  pid_t id = -1;
  std::optional<int> status;  ///< of waitpid, once it has ended
};

/// The part between fork and exec: only calls that are safe there, since another thread may have
/// held any lock.
[[noreturn]] void become_rank(pid_t launcher, const sigset_t& signals, bool with_output,
                              char* const* arguments, char* const* environment) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launcher) ::_exit(kGaveUp);  // it died before the line above
  // Ctrl-C reaches the launcher alone, which passes it on: once, not twice.
  ::setpgid(0, 0);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDIN_FILENO);
  if (!with_output) ::dup2(nothing, STDOUT_FILENO);
  if (nothing > STDERR_FILENO) ::close(nothing);
  ::execve(arguments[0], arguments, environment);
  ::_exit(kGaveUp);
}

RankProcess start_rank(const LaunchPlan& plan, const fs::path& dir, int attempt, int rank) {
  std::vector<std::string> words = {plan.program.string()};
  const auto& arguments = attempt == 0 ? plan.arguments : plan.restart_arguments;
  words.insert(words.end(), arguments.begin(), arguments.end());
  const StringPointers argument_pointers(std::move(words));
  const StringPointers environment_pointers(environment_with({
      concat("RANK=", rank),
      concat("LOCAL_RANK=", rank),
      concat("WORLD_SIZE=", plan.ranks),
      concat("LOCAL_WORLD_SIZE=", plan.ranks),
      concat("PROJNCE_RESTART_COUNT=", attempt),
      concat("PROJNCE_STORE_FILE=", (dir / concat("store-", attempt)).string()),
      concat("PROJNCE_LAUNCH_DIR=", dir.string()),
  }));
  // A signal that is passed on before the new process has left our handler behind must wait.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t launcher = ::getpid();
  const pid_t id = ::fork();
  const int problem = errno;
  if (id == 0) {
    become_rank(launcher, before, rank == 0, argument_pointers.get(), environment_pointers.get());
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (id < 0) fail_system(problem, "cannot start rank ", rank);
  return {.id = id};
}

/// As shells report it.
int exit_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string how_it_ended(size_t rank, int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    return concat("rank ", rank, " was killed by signal ", signal, " (", ::strsignal(signal), ")");
  }
  return concat("rank ", rank, " ended with status ", WEXITSTATUS(wait_status));
}

/// The ranks of one attempt. None of them outlives it.
class Attempt {
 public:
  Attempt(const LaunchPlan& plan, const fs::path& dir, int attempt) : plan_(plan) {
    for (int rank = 0; rank < plan.ranks; ++rank) {
      ranks_.push_back(start_rank(plan, dir, attempt, rank));
    }
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    send(SIGKILL);
    while (running()) look(0);
  }

  /// Returns when all ranks have ended.
  void wait();

  /// The status of the first rank that failed; 2 where any has it, because what is wrong with one
  /// rank's input makes the others fail in other ways; 0 where none failed.
  int status() const;

  /// The sentence about the first rank that failed; empty where none did.
  const std::string& failure() const { return failure_; }

 private:
  bool running() const;
  void send(int signal) const;
  void look(int options);
  void pass_signals_on();

  const LaunchPlan& plan_;
  std::vector<RankProcess> ranks_;
  std::string failure_;
  int first_status_ = 0;
  std::optional<Clock::time_point> kill_time_;
  int signals_passed_ = 0;
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

/// Notes who has ended.
void Attempt::look(int options) {
  for (size_t r = 0; r < ranks_.size(); ++r) {
    int status = 0;
    if (ranks_[r].status || ::waitpid(ranks_[r].id, &status, options) != ranks_[r].id) continue;
    ranks_[r].status = status;
    if (exit_status(status) == 0 || !failure_.empty()) continue;
    failure_ = how_it_ended(r, status);
    first_status_ = exit_status(status);
    kill_time_ = Clock::now() + kTimeToNotice;
  }
}

void Attempt::pass_signals_on() {
  if (signals_passed_ == launcher_signals) return;
  send(launcher_signals == 1 ? launcher_signal : SIGKILL);
  signals_passed_ = launcher_signals;
}

void Attempt::wait() {
  while (true) {
    pass_signals_on();
    look(WNOHANG);
    if (!running()) return;
    // After a signal ranks stop by themselves, each in its own time.
    if (kill_time_ && signals_passed_ == 0 && Clock::now() > *kill_time_) send(SIGKILL);
    std::this_thread::sleep_for(kLookInterval);
  }
}

int Attempt::status() const {
  const bool wrong_input = std::any_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) {
    return rank.status && exit_status(*rank.status) == kWrongInput;
  });
  return wrong_input ? kWrongInput : first_status_;
}

}  // namespace

int launch(const LaunchPlan& plan) {
  if (plan.ranks < 1) fail("the number of ranks is ", plan.ranks, ", expected at least 1");
  if (::access(plan.program.c_str(), X_OK) != 0) {
    fail(plan.program.string(), " cannot be started: ", system_message(errno));
  }
  const SignalNotes signals;
  const LaunchDir dir;
  for (int attempt = 0;; ++attempt) {
    Attempt ranks(plan, dir.path(), attempt);
    ranks.wait();
    if (ranks.status() == 0 || launcher_signals > 0) return ranks.status();
    if (ranks.status() == kWrongInput) {
      plan.say(ranks.failure() + "; wrong input is not tried again");
      return kWrongInput;
    }
    if (attempt == plan.max_restarts) {
      plan.say(concat(ranks.failure(), "; gave up after ", attempt, " restarts"));
      return kGaveUp;
    }
    plan.say(concat(ranks.failure(), "; starting all ranks again (", attempt + 1, " of ",
                    plan.max_restarts, ")"));
  }
}

}  // namespace projnce
