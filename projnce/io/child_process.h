#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace projnce::io {

/// Where a child's standard output goes.
enum class ChildOutput {
  kInherited,  ///< to ours
  kNowhere,
};

/// A program to run beside this one.
struct ChildPlan {
  std::string title;                   ///< what messages call it: "rank 1"
  std::filesystem::path program;       ///< a file; PATH is not searched
  std::vector<std::string> arguments;  ///< without the program's name
  /// "NAME=value", instead of what our environment has of the same name.
  std::vector<std::string> environment;
  /// "NAME=value", where our environment has nothing of that name.
  std::vector<std::string> environment_defaults;
  ChildOutput output = ChildOutput::kInherited;
  std::filesystem::path error_log;  ///< gets standard error at its end; where empty, ours does
};

/// Throws where `program` is no file that may be run.
void check_program(const std::filesystem::path& program);

/// Starts the program and returns its process number, to be waited for with waitpid. It reads
/// nothing and is killed when the calling thread ends. It has a process group of its own: Ctrl-C
/// reaches only us, and we pass it on. A program that cannot be run ends with status 1.
pid_t start_process(const ChildPlan& plan);

/// The exit status as shells report it: 128 + the signal for a process that one killed.
int exit_status(int wait_status);

/// "ended with status 3", "was killed by signal 9 (Killed)".
std::string how_it_ended(int wait_status);

}  // namespace projnce::io
