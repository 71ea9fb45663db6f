#include "projnce/reproduce/cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/environment.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ScratchDir;

/// Replaces projnce by a shell script that runs the configuration of a cell as a script, in which
/// `$out` is a directory for its output.
class TrainCellsTest : public ::testing::Test {
 protected:
  TrainCellsTest() {
    write("projnce", "#!/bin/sh\nout='" + out_.path().string() + "'\n. \"$2\"\n");
    fs::permissions(out_ / "projnce", fs::perms::owner_all);
    pool_.program = out_ / "projnce";
    pool_.on_start = [this](const CellJob& cell) { started_.push_back(cell.title); };
    pool_.on_end = [this](const CellJob& cell, const JobEnd& end) {
      ended_.push_back(cell.title);
      ends_.push_back(end);
    };
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(out_ / name) << text;
  }

  void add(const std::string& title, const std::string& script) {
    write(title + ".toml", script);
    cells_.push_back({.title = title,
                      .config = out_ / (title + ".toml"),
                      .directory = out_ / (title + " run"),
                      .log = out_ / (title + ".log")});
  }

  bool run() { return run_cells(cells_, pool_); }

  std::string error_of(const std::string& script) {
    cells_.clear();
    ends_.clear();
    add("one", script);
    run();
    return ends_.at(0).error_message;
  }

  ScratchDir out_;
  CellPool pool_;
  std::vector<CellJob> cells_;
  std::vector<std::string> started_, ended_;
  std::vector<JobEnd> ends_;
};

/// Script that waits for a file, with a timeout.
std::string wait_for_file(const std::string& name) {
  return "i=0; while [ ! -e $out/" + name + " ] && [ $i -lt 500 ]; do sleep 0.02; i=$((i + 1)); " +
         "done; [ -e $out/" + name + " ] || exit 9\n";
}

TEST_F(TrainCellsTest, TrainsEachCellInItsDirectory) {
  pool_.threads = 3;
  add("one", "printf '%s|' \"$@\" > $out/arguments");
  EXPECT_TRUE(run());
  EXPECT_EQ(contents(out_ / "arguments"), "train|" + (out_ / "one.toml").string() + "|--out|" +
                                              (out_ / "one run").string() +
                                              "|--resume|--json|--set|threads=3|");
  ASSERT_EQ(ends_.size(), 1);
  EXPECT_EQ(ends_[0].status, 0);
  EXPECT_EQ(ends_[0].error_message, "");
}

TEST_F(TrainCellsTest, DoesNotSetTheNumberOfThreadsByDefault) {
  add("one", "echo $# > $out/count");
  EXPECT_TRUE(run());
  EXPECT_EQ(contents(out_ / "count"), "6\n");
}

TEST_F(TrainCellsTest, TrainsSequentiallyInOrder) {
  for (const std::string title : {"c", "a", "b"}) {
    add(title,
        "echo $(basename $2 .toml) starts >> $out/all; sleep 0.05; echo $(basename $2 .toml) ends "
        ">> $out/all");
  }
  EXPECT_TRUE(run());
  EXPECT_EQ(contents(out_ / "all"), "c starts\nc ends\na starts\na ends\nb starts\nb ends\n");
  EXPECT_THAT(started_, ElementsAre("c", "a", "b"));
  EXPECT_THAT(ended_, ElementsAre("c", "a", "b"));
  for (const auto& end : ends_) EXPECT_GE(end.seconds, 0.05);
}

TEST_F(TrainCellsTest, LimitsTheNumberOfConcurrentCells) {
  pool_.jobs = 2;
  add("a", "echo + >> $out/all; " + wait_for_file("b-is-here") + "echo - >> $out/all");
  add("b", "echo + >> $out/all; echo > $out/b-is-here; sleep 0.05; echo - >> $out/all");
  for (const std::string title : {"c", "d", "e"}) {
    add(title, "echo + >> $out/all; sleep 0.05; echo - >> $out/all");
  }
  EXPECT_TRUE(run());
  EXPECT_THAT(started_, ElementsAre("a", "b", "c", "d", "e"));
  for (const auto& end : ends_) EXPECT_EQ(end.error_message, "");
  std::istringstream all(contents(out_ / "all"));
  int now = 0, most = 0;
  for (std::string line; std::getline(all, line);)
    most = std::max(most, now += line == "+" ? 1 : -1);
  EXPECT_EQ(most, 2);
}

TEST_F(TrainCellsTest, AFailureDoesNotStopOtherCells) {
  add("a", "exit 2");
  add("b", "kill -KILL $$");
  add("c", "exit 0");
  cells_.insert(cells_.begin(), cells_[2]);
  cells_[0].log = out_ / "no such folder/log";
  EXPECT_TRUE(run());
  ASSERT_EQ(ends_.size(), 4);
  EXPECT_EQ(ends_[0].error_message,
            "cannot write " + cells_[0].log.string() + ": No such file or directory");
  EXPECT_EQ(ends_[0].status, 1);
  EXPECT_EQ(ends_[1].status, 2);
  EXPECT_EQ(ends_[2].status, 128 + SIGKILL);
  EXPECT_EQ(ends_[3].status, 0);
}

TEST_F(TrainCellsTest, ReportsTheErrorMessageOfTheProcess) {
  EXPECT_EQ(error_of("echo projnce: an earlier one >&2; echo 'projnce: the disk is full' >&2; "
                     "echo '  hint: delete something' >&2; exit 1"),
            "the disk is full");
  EXPECT_EQ(error_of("echo about projnce: nothing >&2; exit 3"), "ended with status 3");
  EXPECT_EQ(error_of("kill -KILL $$"), "was killed by signal 9 (Killed)");
  EXPECT_EQ(error_of("echo projnce: it was not that bad >&2"), "");
}

TEST_F(TrainCellsTest, FindsTheErrorMessageInALongLog) {
  EXPECT_EQ(error_of("yes 'a line of the log' | head -c 200000 >&2; echo >&2; "
                     "echo projnce: a sentence >&2; exit 1"),
            "a sentence");
}

TEST_F(TrainCellsTest, AppendsToLogsAndPrintsNothing) {
  write("one.log", "from yesterday\n");
  add("one", "echo printed; echo logged >&2");
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  run();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(contents(out_ / "one.log"), "from yesterday\nlogged\n");
}

TEST_F(TrainCellsTest, ConcurrentCellsUsePassiveWaitingByDefault) {
  testing::EnvironmentGuard environment;
  environment.set("OMP_WAIT_POLICY", std::nullopt);
  add("one", "echo ${OMP_WAIT_POLICY-none} >> $out/policy");
  run();
  pool_.jobs = 2;
  run();
  environment.set("OMP_WAIT_POLICY", "active");
  run();
  EXPECT_EQ(contents(out_ / "policy"), "none\npassive\nactive\n");
}

TEST_F(TrainCellsTest, AStopRequestTerminatesCellsAndStartsNoOther) {
  pool_.jobs = 2;
  pool_.stop_requested = [&] { return fs::exists(out_ / "a") && fs::exists(out_ / "b"); };
  for (const std::string title : {"a", "b", "c"}) {
    add(title,
        "name=$(basename $2 .toml); trap 'sleep 0.1; echo > $out/saved-$name; exit 143' TERM; "
        "echo > $out/$name; " +
            wait_for_file("never"));
  }
  EXPECT_FALSE(run());
  EXPECT_TRUE(fs::exists(out_ / "saved-a"));
  EXPECT_TRUE(fs::exists(out_ / "saved-b"));
  EXPECT_THAT(started_, ElementsAre("a", "b"));
  ASSERT_EQ(ends_.size(), 2);
  EXPECT_EQ(ends_[0].status, 143);
}

TEST_F(TrainCellsTest, KillsCellsThatIgnoreAStopRequest) {
  pool_.patience = std::chrono::milliseconds(50);
  pool_.stop_requested = [&] { return fs::exists(out_ / "here"); };
  add("stubborn", "trap '' TERM; echo > $out/here; " + wait_for_file("never"));
  EXPECT_FALSE(run());
  ASSERT_EQ(ends_.size(), 1);
  EXPECT_EQ(ends_[0].error_message, "was killed by signal 9 (Killed)");
}

TEST_F(TrainCellsTest, AStopRequestBeforeTheStartTrainsNothing) {
  pool_.stop_requested = [] { return true; };
  add("one", "exit 0");
  EXPECT_FALSE(run());
  EXPECT_THAT(started_, IsEmpty());
}

TEST_F(TrainCellsTest, AStopRequestAfterTheEndHasNoEffect) {
  bool stop = false;
  pool_.stop_requested = [&] { return stop; };
  pool_.on_end = [&](const CellJob&, const JobEnd&) { stop = true; };
  add("one", "exit 0");
  EXPECT_TRUE(run());
}

TEST_F(TrainCellsTest, TerminatesCellsIfACallbackThrows) {
  pool_.jobs = 2;
  pool_.on_end = [](const CellJob&, const JobEnd&) { throw std::runtime_error("no more"); };
  add("a", "trap 'echo > $out/saved; exit 143' TERM; echo > $out/here; " + wait_for_file("never"));
  add("b", wait_for_file("here"));
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_TRUE(fs::exists(out_ / "saved"));
}

TEST_F(TrainCellsTest, RejectsInvalidJobsAndPrograms) {
  pool_.jobs = 0;
  EXPECT_EQ(testing::error_message_of([&] { run(); }), "--jobs = 0, expected at least 1");
  pool_.jobs = 1;
  pool_.program = "/no/such/program";
  EXPECT_EQ(testing::error_message_of([&] { run(); }),
            "/no/such/program cannot be started: No such file or directory");
}

}  // namespace
}  // namespace projnce::reproduce
