#include "projnce/run/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/core/error.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/run/batch_samples.h"
#include "tests/run/tiny_training.h"
#include "tests/support/error_message.h"
#include "tests/support/fake_dataset.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::run {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScratchDir;

/// A run that was stopped after three steps, with a checkpoint of each. Shared by all tests; only
/// plans are made of it.
class RunPlanTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = std::make_unique<ScratchDir>();
    write_photos(*dir_ / "photos");
    const auto outcome = train_for(tiny_training(*dir_ / "photos", stopped()), 3);
    ASSERT_FALSE(outcome.finished);
  }
  static void TearDownTestSuite() { dir_.reset(); }

  static fs::path stopped() { return *dir_ / "stopped"; }
  static TrainRequest resume(std::vector<std::string> settings = {}) {
    return {.run = {.config = {}, .data = {}, .settings = std::move(settings)},
            .out = stopped(),
            .resume = true,
            .command = {}};
  }

  static std::unique_ptr<ScratchDir> dir_;
};

std::unique_ptr<ScratchDir> RunPlanTest::dir_;

TEST_F(RunPlanTest, StartsInANewDirectory) {
  const auto request = tiny_training(*dir_ / "photos", *dir_ / "new");
  const auto plan = plan_run(request, silent_logger());
  EXPECT_EQ(plan.kind, RunPlan::Kind::kStart);
  EXPECT_EQ(plan.directory, *dir_ / "new");
  EXPECT_EQ(plan.lock, nullptr);
  EXPECT_FALSE(fs::exists(*dir_ / "new")) << "a plan writes nothing";
}

TEST_F(RunPlanTest, DoesNotStartWhereARunIs) {
  const auto request = tiny_training(*dir_ / "photos", stopped());
  EXPECT_THAT(testing::error_message_of([&] { plan_run(request, silent_logger()); }),
              HasSubstr("stopped"));
}

TEST_F(RunPlanTest, ResumesFromTheNewestCheckpoint) {
  const auto plan = plan_run(resume(), silent_logger());
  EXPECT_EQ(plan.kind, RunPlan::Kind::kResume);
  ASSERT_TRUE(plan.checkpoint);
  EXPECT_EQ(plan.checkpoint->step, 3);
  EXPECT_NE(plan.lock, nullptr);
}

TEST_F(RunPlanTest, LocksTheRun) {
  const auto plan = plan_run(resume(), silent_logger());
  EXPECT_THROW(plan_run(resume(), silent_logger()), Error);
}

TEST_F(RunPlanTest, RejectsOtherSettingsUnlessForced) {
  auto request = resume({"train.epochs=5"});
  EXPECT_THAT(testing::error_message_of([&] { plan_run(request, silent_logger()); }),
              AllOf(HasSubstr("train.epochs = 5 instead of 2"), HasSubstr("--force")));
  request.force = true;
  const auto plan = plan_run(request, silent_logger());
  EXPECT_EQ(plan.kind, RunPlan::Kind::kResume);
  EXPECT_EQ(std::get<int64_t>(plan.settings.tables.at("train").values.at("epochs").data), 5);
}

TEST_F(RunPlanTest, SkipsACorruptCheckpoint) {
  const auto copy = *dir_ / "corrupt";
  fs::copy(stopped(), copy, fs::copy_options::recursive);
  const auto newest = plan_run(resume(), silent_logger()).checkpoint->path.filename();
  testing::write_file(io::RunPaths{copy}.checkpoints() / newest,
                      testing::octets_of("no checkpoint"));
  auto request = resume();
  request.out = copy;
  const auto plan = plan_run(request, silent_logger());
  ASSERT_TRUE(plan.checkpoint);
  EXPECT_EQ(plan.checkpoint->step, 2);
}

/// Copies the stopped run, with settings named as in version 0.1.0 in config.toml and checkpoints.
void copy_with_former_names(const fs::path& from, const fs::path& to) {
  fs::copy(from, to, fs::copy_options::recursive);
  const auto rename = [](std::string text) {
    for (const auto& [present, former] :
         {std::pair("[augment.audio]", "[augment.sound]"), {"denominator", "denom"}}) {
      const auto begin = text.find(present);
      EXPECT_NE(begin, std::string::npos) << present;
      text.replace(begin, std::string_view(present).size(), former);
    }
    return text;
  };
  const io::RunPaths paths{to};
  const auto config = rename(testing::contents(paths.config()));
  testing::write_file(paths.config(), testing::octets_of(config));
  for (const auto& entry : fs::directory_iterator(paths.checkpoints())) {
    auto file = checkpoint::load_tensors(entry.path());
    file.metadata["config"] = rename(file.metadata.at("config"));
    checkpoint::save_tensors(entry.path(), file);
  }
}

TEST_F(RunPlanTest, ResumesRunsWithFormerNamesOfSettings) {
  const auto copy = *dir_ / "former";
  copy_with_former_names(stopped(), copy);
  auto request = resume({"augment.sound.gain_db=6"});
  request.out = copy;
  {
    const auto plan = plan_run(request, silent_logger());
    EXPECT_EQ(plan.kind, RunPlan::Kind::kResume);
    EXPECT_EQ(plan.checkpoint->step, 3);
    EXPECT_TRUE(plan.settings.tables.at("augment").tables.contains("audio"));
    EXPECT_FALSE(plan.settings.tables.at("augment").tables.contains("sound"));
  }  // releases the lock
  request.run.settings = {"augment.sound.gain_db=5"};
  EXPECT_THAT(testing::error_message_of([&] { plan_run(request, silent_logger()); }),
              HasSubstr("augment.audio.gain_db = 5"));
}

TEST_F(RunPlanTest, NeedsARunToResume) {
  auto request = resume();
  request.out = *dir_ / "nowhere";
  EXPECT_THAT(testing::error_message_of([&] { plan_run(request, silent_logger()); }),
              HasSubstr("nowhere"));
  request.run.data = *dir_ / "photos";
  EXPECT_EQ(plan_run(request, silent_logger()).kind, RunPlan::Kind::kStart) << "data to start with";
}

TEST(BatchSamples, NamesSamplesWithNonfiniteValuesFirst) {
  loader::Batch batch;
  batch.views = 2;
  batch.labels = torch::tensor({1, 0, 1}, torch::kInt64);
  batch.indices = torch::tensor({2, 0, 1}, torch::kInt64);
  batch.images = torch::zeros({6, 1, 2, 2});
  batch.images[4][0][1][1] = std::numeric_limits<float>::quiet_NaN();  // second view of sample 0
  const auto ranks = distributed::ProcessGroup::single_process();
  const auto samples = gather_samples(batch, *ranks);
  const testing::FakeDataset dataset({0, 1, 1});
  EXPECT_THAT(sample_names(samples, dataset),
              ElementsAre(dataset.sample_name(0) + " (has non-finite values)",
                          dataset.sample_name(2), dataset.sample_name(1)));
}

}  // namespace
}  // namespace projnce::run
