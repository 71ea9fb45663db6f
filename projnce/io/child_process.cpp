#include "projnce/io/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::io {

namespace {

constexpr int kExecFailed = 1;

/// Null-terminated array of string pointers, as exec expects.
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

/// Whether one of the "NAME=value" settings has the same name as `setting`.
bool has_name_of(const std::vector<std::string>& settings, const std::string& setting) {
  const auto name = setting.substr(0, setting.find('=') + 1);
  return std::any_of(settings.begin(), settings.end(),
                     [&](const std::string& other) { return other.starts_with(name); });
}

std::vector<std::string> child_arguments(const ChildPlan& plan) {
  std::vector<std::string> words = {plan.program.string()};
  words.insert(words.end(), plan.arguments.begin(), plan.arguments.end());
  return words;
}

std::vector<std::string> child_environment(const ChildPlan& plan) {
  std::vector<std::string> result = plan.environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!has_name_of(plan.environment, *entry)) result.emplace_back(*entry);
  }
  for (const auto& setting : plan.environment_defaults) {
    if (!has_name_of(result, setting)) result.push_back(setting);
  }
  return result;
}

/// Returns an empty descriptor if the plan names no log.
FileDescriptor open_error_log(const ChildPlan& plan) {
  if (plan.error_log.empty()) return FileDescriptor();
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  FileDescriptor log(::open(plan.error_log.c_str(), kFlags, 0666));
  if (!log.is_open()) fail_system(errno, "cannot write ", plan.error_log.string());
  return log;
}

/// State prepared before fork for the code between fork and exec.
struct ChildStart {
  pid_t parent;
  sigset_t signals;  ///< signal mask of the parent
  bool with_output;
  int error_log;  ///< -1 for none
  char* const* arguments;
  char* const* environment;
};

/// Runs between fork and exec. Uses only async-signal-safe calls, since another thread may have
/// held any lock at the time of the fork.
[[noreturn]] void exec_child(const ChildStart& start) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(kExecFailed);  // the parent died before prctl
  // Deliver Ctrl-C only to the parent, which forwards it: once, not twice.
  ::setpgid(0, 0);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &start.signals, nullptr);
  if (start.error_log >= 0) {
    ::dup2(start.error_log, STDERR_FILENO);
    ::fcntl(STDERR_FILENO, F_SETFD, 0);  // in case stderr was closed: then dup2 keeps O_CLOEXEC
  }
  const int dev_null = ::open("/dev/null", O_RDWR);
  ::dup2(dev_null, STDIN_FILENO);
  if (!start.with_output) ::dup2(dev_null, STDOUT_FILENO);
  if (dev_null > STDERR_FILENO) ::close(dev_null);
  ::execve(start.arguments[0], start.arguments, start.environment);
  ::_exit(kExecFailed);
}

/// Restores the default action of SIGCHLD if it is ignored. Otherwise the system would discard the
/// exit status of children, and waitpid would fail.
void restore_sigchld() {
  struct sigaction action = {};
  ::sigaction(SIGCHLD, nullptr, &action);
  if (action.sa_handler == SIG_IGN) ::signal(SIGCHLD, SIG_DFL);
}

}  // namespace

void check_program(const std::filesystem::path& program) {
  if (::access(program.c_str(), X_OK) == 0) return;
  fail(program.string(), " cannot be started: ", system_message(errno));
}

pid_t start_process(const ChildPlan& plan) {
  const StringPointers arguments(child_arguments(plan));
  const StringPointers environment(child_environment(plan));
  const auto log = open_error_log(plan);
  ChildStart start = {.parent = ::getpid(),
                      .signals = {},
                      .with_output = plan.output == ChildOutput::kInherited,
                      .error_log = log.get(),
                      .arguments = arguments.get(),
                      .environment = environment.get()};
  restore_sigchld();
  // Block signals, so that one forwarded to the child before it resets the handlers is delivered
  // after that.
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &start.signals);
  const pid_t id = ::fork();
  const int fork_errno = errno;
  if (id == 0) exec_child(start);
  ::pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
  if (id < 0) fail_system(fork_errno, "cannot start ", plan.title);
  return id;
}

int exit_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string describe_exit(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return concat("ended with status ", WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  return concat("was killed by signal ", signal, " (", ::strsignal(signal), ")");
}

}  // namespace projnce::io
