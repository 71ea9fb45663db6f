#include "projnce/report/server/run_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "projnce/io/filesystem/run_directory.h"
#include "tests/support/run_folder.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::make_finished_run;
using testing::make_run_folder;
using testing::ScratchDir;
using testing::write_text;

class RunListTest : public ::testing::Test {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& run : find_runs(root_)) found.push_back(run.name);
    return found;
  }
  RunSummary facts() const { return read_run_summary(find_runs(root_).at(0)); }

  ScratchDir dir_;
  fs::path root_ = fs::canonical(dir_.path());
};

TEST_F(RunListTest, FindsRunsInFolderAndSubfolders) {
  make_run_folder(root_ / "b");
  make_run_folder(root_ / "demo/a");
  make_run_folder(root_ / "too/deep/down");
  fs::create_directories(root_ / "empty/folder");
  write_text(root_ / "file", "");
  EXPECT_THAT(names(), ElementsAre("b", "demo/a"));
}

TEST_F(RunListTest, DoesNotSearchInsideRuns) {
  make_run_folder(make_run_folder(root_ / "a") / "inner");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(RunListTest, FolderMayBeRun) {
  make_run_folder(root_);
  const auto runs = find_runs(root_);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].name, root_.filename());
  EXPECT_EQ(runs[0].path, root_);
}

TEST_F(RunListTest, SkipsLinksThatLeadOutside) {
  const ScratchDir elsewhere;
  make_run_folder(elsewhere / "secret");
  make_run_folder(root_ / "inside");
  fs::create_directory_symlink(elsewhere / "secret", root_ / "run-out");
  fs::create_directory_symlink(elsewhere.path(), root_ / "folder-out");
  fs::create_directory_symlink(root_ / "inside", root_ / "again");
  make_run_folder(root_ / "file-out");
  fs::create_symlink(elsewhere / "secret/config.toml", root_ / "file-out/summary.json");
  make_run_folder(root_ / "dangling");
  fs::create_symlink(root_ / "nothing", root_ / "dangling/summary.json");
  EXPECT_THAT(names(), ElementsAre("again", "inside"));
}

TEST_F(RunListTest, FolderWithCommonPrefixIsOutside) {
  const fs::path runs = root_ / "runs";
  make_run_folder(root_ / "runs-private/a");
  fs::create_directories(runs);
  fs::create_directory_symlink(root_ / "runs-private/a", runs / "a");
  EXPECT_THAT(find_runs(runs), IsEmpty());
}

TEST_F(RunListTest, MissingFolderHasNoRuns) {
  EXPECT_THAT(find_runs(root_ / "nothing"), IsEmpty());
}

TEST_F(RunListTest, ReadsSummaryOfFinishedRun) {
  make_finished_run(root_ / "a", "0.75");
  const auto run = facts();
  EXPECT_EQ(run.dataset, "photos");
  EXPECT_EQ(run.loss, "supcon");
  EXPECT_EQ(run.encoder, "resnet18");
  EXPECT_EQ(run.state, RunState::kFinished);
  EXPECT_EQ(run.epoch, 8);
  EXPECT_EQ(run.accuracy, 0.75);
  EXPECT_GT(run.changed, 1'000'000'000);
}

TEST_F(RunListTest, ReportsAccuracyOfDeliveredModel) {
  make_run_folder(root_ / "a");
  write_text(
      root_ / "a/summary.json",
      R"({"epochs": 8, "accuracy": {"last": 0.5, "best": 0.75}, "delivered": {"top1": 0.625}})");
  EXPECT_EQ(facts().accuracy, 0.625);
}

TEST_F(RunListTest, ReadsLastMetricsOfRunningRun) {
  make_run_folder(root_ / "a");
  const io::FileLock lock(root_ / "a/lock");
  write_text(
      root_ / "a/metrics.jsonl",
      R"({"step":9,"epoch":0,"split":"test","name":"nearest-centroid","value":{"top1":0.25}})"
      "\n"
      R"({"step":18,"epoch":1,"split":"test","name":"nearest-centroid","value":{"top1":0.5}})"
      "\n"
      R"({"step":18,"epoch":1,"split":"test","name":"knn","value":{"top1":0.625}})"
      "\n"
      R"({"step":19,"epoch":2,"split":"train","name":"step","value":{"loss":1}})"
      "\n"
      R"({"step":20,"epoch":2,"split":"tr)");
  const auto run = facts();
  EXPECT_EQ(run.state, RunState::kRunning);
  EXPECT_EQ(run.epoch, 3);
  EXPECT_EQ(run.epochs, 8);
  EXPECT_EQ(run.accuracy, 0.5) << "the first protocol of the last evaluation";
}

TEST_F(RunListTest, RunWithoutLiveOwnerIsStoppedOrUnfinished) {
  make_run_folder(root_ / "a");
  EXPECT_EQ(facts().state, RunState::kUnfinished);
  std::string host(256, '\0');
  ASSERT_EQ(::gethostname(host.data(), host.size()), 0);
  write_text(root_ / "a/lock", "process 2147483646 on " + std::string(host.c_str()) + "\n");
  EXPECT_EQ(facts().state, RunState::kStopped);
}

TEST_F(RunListTest, IgnoresMalformedFiles) {
  write_text(root_ / "a/config.toml", "= = =");
  write_text(root_ / "a/summary.json", R"({"accuracy": "high"})");
  write_text(root_ / "a/metrics.jsonl", "\xFF\n[1]\n{\"epoch\":\"x\"}\n");
  const auto run = facts();
  EXPECT_EQ(run.dataset, "");
  EXPECT_EQ(run.accuracy, std::nullopt);
  fs::remove(root_ / "a/summary.json");
  EXPECT_EQ(facts().epoch, 0);
}

}  // namespace
}  // namespace projnce::report
