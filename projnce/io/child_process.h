#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace projnce::io {

/// Destination of a child's standard output.
enum class ChildOutput {
  kInherited,  ///< this process's standard output
  kDiscarded,  ///< /dev/null
};

/// A program to run as a child process.
struct ChildPlan {
  std::string title;                   ///< name in messages, such as "rank 1"
  std::filesystem::path program;       ///< path to the file; PATH is not searched
  std::vector<std::string> arguments;  ///< without the program's name
  /// "NAME=value"; overrides variables of this process's environment.
  std::vector<std::string> environment;
  /// "NAME=value"; used only if this process's environment lacks the variable.
  std::vector<std::string> environment_defaults;
  ChildOutput output = ChildOutput::kInherited;
  std::filesystem::path error_log;  ///< standard error is appended here; if empty, it is inherited
};

/// Throws if `program` is not an executable file.
void check_program(const std::filesystem::path& program);

/// Starts the program and returns its process id, to be passed to waitpid. Its standard input is
/// empty, and it is killed when the calling thread ends. It runs in its own process group: Ctrl-C
/// is delivered only to this process, which forwards it. If the program cannot be executed, the
/// child exits with status 1.
pid_t start_process(const ChildPlan& plan);

/// Exit status as shells report it: 128 + signal number for a killed process.
int exit_status(int wait_status);

/// Describes how a process ended: "ended with status 3", "was killed by signal 9 (Killed)".
std::string describe_exit(int wait_status);

}  // namespace projnce::io
