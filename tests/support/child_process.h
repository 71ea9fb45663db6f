#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace projnce::testing {

/// Runs `action` in a copy of this process and returns the copy's number. The copy leaves without
/// running destructors or exit handlers; `action` returns its exit status.
/// REQUIRES: `action` needs no other thread, since only the calling one is copied.
template <class Action>
pid_t start_child(Action&& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  return child;
}

/// What waitpid says about a child that has ended.
inline int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// For children: from now on a longer file fails like one on a full disk, until another limit
/// holds.
inline void limit_file_size(rlim_t bytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace projnce::testing
