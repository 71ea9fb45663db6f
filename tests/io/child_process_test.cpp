#include "projnce/io/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "tests/support/child_process.h"
#include "tests/support/environment.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using testing::contents;
using testing::ScratchDir;

/// Runs shell scripts as children; `$out` is a directory for their output.
class ChildProcessTest : public ::testing::Test {
 protected:
  ChildPlan shell(const std::string& script) const {
    return {
        .title = "the script",
        .program = "/bin/sh",
        .arguments = {"-c", "out='" + out_.path().string() + "'; " + script, "name", "a b", ""}};
  }

  static int run(const ChildPlan& plan) { return testing::wait_for(start_process(plan)); }

  ScratchDir out_;
};

TEST_F(ChildProcessTest, PassesArgumentsAndEmptyInput) {
  EXPECT_EQ(run(shell("cat > $out/read; echo \"$#:$1:$2\" > $out/arguments")), 0);
  EXPECT_EQ(contents(out_ / "arguments"), "2:a b:\n");
  EXPECT_EQ(contents(out_ / "read"), "");
}

TEST_F(ChildProcessTest, OverridesTheInheritedEnvironment) {
  testing::EnvironmentGuard environment;
  environment.set("PROJNCE_TEST_OURS", "ours");
  environment.set("PROJNCE_TEST_CHANGED", "before");
  environment.set("PROJNCE_TEST_CHANGED_NOT", "long name");
  environment.set("PROJNCE_TEST_ABSENT", std::nullopt);
  auto plan = shell(
      "echo $PROJNCE_TEST_OURS, $PROJNCE_TEST_CHANGED, $PROJNCE_TEST_CHANGED_NOT, "
      "$PROJNCE_TEST_ABSENT > $out/environment");
  plan.environment = {"PROJNCE_TEST_CHANGED=after"};
  plan.environment_defaults = {"PROJNCE_TEST_OURS=default", "PROJNCE_TEST_CHANGED=default",
                               "PROJNCE_TEST_ABSENT=default"};
  EXPECT_EQ(run(plan), 0);
  EXPECT_EQ(contents(out_ / "environment"), "ours, after, long name, default\n");
}

TEST_F(ChildProcessTest, InheritsOutputOnlyIfRequested) {
  auto plan = shell("echo printed");
  ::testing::internal::CaptureStdout();
  run(plan);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "printed\n");
  plan.output = ChildOutput::kDiscarded;
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run(plan), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST_F(ChildProcessTest, AppendsErrorsToTheLog) {
  auto plan = shell("echo message >&2");
  ::testing::internal::CaptureStderr();
  run(plan);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "message\n");
  plan.error_log = out_ / "log";
  ::testing::internal::CaptureStderr();
  run(plan);
  run(plan);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(contents(out_ / "log"), "message\nmessage\n");
}

TEST_F(ChildProcessTest, AppendsErrorsToTheLogIfAStandardStreamIsClosed) {
  auto plan = shell("echo message >&2");
  for (const int closed : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    plan.error_log = out_ / std::to_string(closed);
    testing::wait_for(testing::start_child([&] {
      ::close(closed);  // so that the log reuses its descriptor
      return exit_status(run(plan));
    }));
    EXPECT_EQ(contents(plan.error_log), "message\n") << closed;
  }
}

TEST_F(ChildProcessTest, ReportsExitStatusAndSignal) {
  const int failed = run(shell("exit 3"));
  EXPECT_EQ(exit_status(failed), 3);
  EXPECT_EQ(describe_exit(failed), "ended with status 3");
  const int killed = run(shell("kill -KILL $$"));
  EXPECT_EQ(exit_status(killed), 128 + SIGKILL);
  EXPECT_EQ(describe_exit(killed), "was killed by signal 9 (Killed)");
}

TEST_F(ChildProcessTest, ReportsExitStatusIfSigchldWasIgnored) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(exit_status(run(shell("exit 3"))), 3);
  ::signal(SIGCHLD, before);
}

TEST_F(ChildProcessTest, ResetsIgnoredSignalsAndUsesItsOwnProcessGroup) {
  const auto before = ::signal(SIGTERM, SIG_IGN);
  const pid_t child = start_process(shell("exec sleep 10"));
  ::signal(SIGTERM, before);
  for (int i = 0; i < 5000 && ::getpgid(child) != child; ++i) ::usleep(1000);
  EXPECT_EQ(::getpgid(child), child);
  ::kill(child, SIGTERM);
  EXPECT_EQ(exit_status(testing::wait_for(child)), 128 + SIGTERM);
}

TEST_F(ChildProcessTest, DiesWithItsParent) {
  std::array<int, 2> pipe = {};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t parent = testing::start_child([&] {
    ::close(pipe[0]);
    ::dup2(pipe[1], STDOUT_FILENO);
    ::close(pipe[1]);
    return exit_status(run(shell("echo; exec sleep 20")));
  });
  ::close(pipe[1]);
  char byte = 0;
  EXPECT_EQ(::read(pipe[0], &byte, 1), 1);
  const auto start = std::chrono::steady_clock::now();
  ::kill(parent, SIGKILL);
  testing::wait_for(parent);
  // The child held the last write end.
  EXPECT_EQ(::read(pipe[0], &byte, 1), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  ::close(pipe[0]);
}

TEST_F(ChildProcessTest, ReportsWhatCannotBeStartedOrWritten) {
  EXPECT_EQ(testing::error_message_of([] { check_program("/no/such/program"); }),
            "/no/such/program cannot be started: No such file or directory");
  EXPECT_EQ(testing::error_message_of([] { check_program("/dev/null"); }),
            "/dev/null cannot be started: Permission denied");
  auto plan = shell("exit 0");
  plan.error_log = "/no/such/folder/log";
  EXPECT_EQ(testing::error_message_of([&] { start_process(plan); }),
            "cannot write /no/such/folder/log: No such file or directory");
}

TEST_F(ChildProcessTest, FailedExecExitsWithStatusOne) {
  EXPECT_EQ(exit_status(run({.title = "nothing", .program = "/dev/null"})), 1);
}

}  // namespace
}  // namespace projnce::io
