#include "projnce/distributed/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "projnce/core/error.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::distributed {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScratchDir;
using ::testing::StartsWith;

/// Launches shell scripts as ranks; `$out` is the directory they write to.
class LauncherTest : public ::testing::Test {
 protected:
  int run(const std::string& script, int ranks = 2, int max_restarts = 3) {
    const auto with_out = "out='" + out_.path().string() + "'; " + script;
    return launch({.program = "/bin/sh",
                   .arguments = {"-c", with_out, "first"},
                   .restart_arguments = {"-c", with_out, "again"},
                   .ranks = ranks,
                   .max_restarts = max_restarts,
                   .log = [this](const std::string& message) { logged_.push_back(message); }});
  }

  std::string written(const std::string& name) const {
    const auto bytes = testing::contents(out_ / name);
    return {bytes.begin(), bytes.end()};
  }

  ScratchDir out_;
  std::vector<std::string> logged_;
};

/// Sends a signal to this process once all files exist.
class SignalOnceFilesExist {
 public:
  SignalOnceFilesExist(std::vector<fs::path> files, int signal, int times = 1)
      : thread_([files = std::move(files), signal, times] {
          for (const auto& file : files) {
            while (!fs::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          }
          for (int i = 0; i < times; ++i) {
            ::kill(::getpid(), signal);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
          }
        }) {}
  ~SignalOnceFilesExist() { thread_.join(); }

 private:
  std::thread thread_;
};

TEST_F(LauncherTest, SetsRankEnvironmentAndRemovesLaunchDirectory) {
  ASSERT_EQ(run("echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $PROJNCE_RESTART_COUNT "
                "$(dirname $PROJNCE_STORE_FILE) $PROJNCE_LAUNCH_DIR > $out/$RANK; "
                "test -d $PROJNCE_LAUNCH_DIR && echo $PROJNCE_LAUNCH_DIR > $out/dir",
                3),
            0);
  auto dir = written("dir");
  dir.pop_back();
  EXPECT_FALSE(fs::exists(dir));
  for (const std::string rank : {"0", "1", "2"}) {
    EXPECT_EQ(written(rank), rank + " " + rank + " 3 3 0 " + dir + " " + dir + "\n");
  }
  EXPECT_THAT(logged_, IsEmpty());
}

TEST_F(LauncherTest, ForwardsOnlyTheOutputOfRankZero) {
  ::testing::internal::CaptureStdout();
  const int status = run("echo rank $RANK");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "rank 0\n");
  EXPECT_EQ(status, 0);
}

TEST_F(LauncherTest, RestartsWithRestartArgumentsAndANewStore) {
  ASSERT_EQ(run("echo $0 $(basename $PROJNCE_STORE_FILE) >> $out/$RANK; "
                "[ $RANK = 0 ] || exit $((5 - 5 * PROJNCE_RESTART_COUNT))"),
            0);
  EXPECT_EQ(written("0"), "first store-0\nagain store-1\n");
  EXPECT_THAT(logged_, ElementsAre(AllOf(StartsWith("rank 1 "),
                                         HasSubstr("status 5; restarting all ranks (1 of 3)"))));
}

TEST_F(LauncherTest, KillsStoppedRanksAfterAFailure) {
  ASSERT_EQ(run("[ $PROJNCE_RESTART_COUNT = 1 ] && exit 0; "
                "[ $RANK = 1 ] && kill -KILL $$; kill -STOP $$"),
            0);
  EXPECT_THAT(logged_,
              ElementsAre("rank 1 was killed by signal 9 (Killed); restarting all ranks (1 of 3)"));
}

TEST_F(LauncherTest, GivesUpAfterMaxRestarts) {
  EXPECT_EQ(run("echo x >> $out/$RANK; exit 7", 1, 2), 1);
  EXPECT_EQ(written("0"), "x\nx\nx\n");
  EXPECT_THAT(logged_.back(),
              AllOf(StartsWith("rank 0 "), HasSubstr("status 7; gave up after 2 restarts")));
}

TEST_F(LauncherTest, DoesNotRestartAfterInvalidInput) {
  // Rank 0 fails first, while rank 1 is about to exit with 2.
  EXPECT_EQ(run("[ $RANK = 0 ] && exit 1; sleep 0.1; exit 2"), 2);
  ASSERT_EQ(logged_.size(), 1);
  EXPECT_THAT(logged_.front(), HasSubstr("not restarting because the input is invalid"));
}

TEST_F(LauncherTest, ForwardsASignalAndWaitsForTheRanks) {
  const SignalOnceFilesExist signal({out_ / "0", out_ / "1"}, SIGTERM);
  EXPECT_EQ(run("trap 'sleep 0.1; echo saved > $out/saved$RANK; exit 143' TERM; "
                "echo > $out/$RANK; while :; do sleep 0.02; done"),
            143);
  EXPECT_EQ(written("saved0"), "saved\n");
  EXPECT_EQ(written("saved1"), "saved\n");
  EXPECT_THAT(logged_, IsEmpty());
}

TEST_F(LauncherTest, SecondSignalKillsTheRanks) {
  const SignalOnceFilesExist signal({out_ / "0", out_ / "1"}, SIGINT, 2);
  EXPECT_EQ(run("trap '' INT; echo > $out/$RANK; while :; do sleep 0.02; done"), 128 + SIGKILL);
}

TEST_F(LauncherTest, ReportsProgramThatCannotBeStarted) {
  EXPECT_THAT(testing::error_message_of([] { launch({.program = "/no/such/program"}); }),
              "/no/such/program cannot be started: No such file or directory");
}

}  // namespace
}  // namespace projnce::distributed
