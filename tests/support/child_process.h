#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace projnce::testing {

/// Runs `action` in a forked child and returns its process id. The child exits without running
/// destructors or exit handlers; `action` returns its exit status.
/// REQUIRES: `action` needs no other thread, because fork copies only the calling one.
template <class Action>
pid_t start_child(Action&& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  return child;
}

/// Waits for a child and returns its waitpid status.
inline int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// For children: limits the file size, so that longer files fail as on a full disk.
inline void limit_file_size(rlim_t bytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace projnce::testing
