#include "projnce/checkpoint/checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <fstream>

#include "projnce/io/filesystem/atomic_file.h"
#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::checkpoint {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_message_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names_in;
using testing::ScratchDir;
using ::testing::UnorderedElementsAre;

TensorFile state(int64_t step) {
  return {{{"w", torch::full({100}, step)}}, {{"step", std::to_string(step)}}};
}

void corrupt_file(const fs::path& path) {
  auto bytes = contents(path);
  bytes[bytes.size() - 100] ^= 4;
  io::write_file_atomically(path, bytes);
}

TEST(CheckpointDir, KeepsTheNewestAndTheBest) {
  const ScratchDir dir;
  const CheckpointDir checkpoints(dir / "run/checkpoints");
  for (const int64_t step : {9, 10, 1000000, 999999}) checkpoints.save(step, state(step));
  checkpoints.save(1000001, state(1000001));
  checkpoints.save_best(state(10));
  EXPECT_THAT(names_in(dir / "run/checkpoints"),
              UnorderedElementsAre("step-1000000.safetensors", "step-1000001.safetensors",
                                   "best.safetensors"));
  EXPECT_EQ(load_tensors(checkpoints.best_path()).metadata.at("step"), "10");
}

TEST(CheckpointDir, KeepsTheRequestedNumberButAtLeastTwo) {
  const ScratchDir dir;
  const CheckpointDir checkpoints(dir.path(), {.keep = 3});
  for (int64_t step = 0; step < 6; ++step) checkpoints.save(step, state(step));
  EXPECT_THAT(names_in(dir.path()),
              UnorderedElementsAre("step-000003.safetensors", "step-000004.safetensors",
                                   "step-000005.safetensors"));
  EXPECT_THAT(error_message_of([&] { CheckpointDir(dir.path(), {.keep = 1}); }),
              HasSubstr("keep is 1, expected at least 2"));
}

TEST(CheckpointDir, FindsTheNewestValidAndReportsTheCorrupt) {
  const ScratchDir dir;
  const CheckpointDir checkpoints(dir.path(), {.keep = 4});
  for (const int64_t step : {1, 2, 3}) checkpoints.save(step, state(step));
  EXPECT_EQ(checkpoints.newest_valid().checkpoint->step, 3);

  corrupt_file(dir / "step-000003.safetensors");
  io::write_file_atomically(dir / "step-000002.safetensors", "");
  const auto newest = checkpoints.newest_valid();
  ASSERT_TRUE(newest.checkpoint.has_value());
  EXPECT_EQ(newest.checkpoint->path, dir / "step-000001.safetensors");
  EXPECT_TRUE(torch::equal(newest.checkpoint->state.tensors.at(0).second, torch::full({100}, 1)));
  ASSERT_EQ(newest.corrupt.size(), 2u);
  EXPECT_EQ(newest.corrupt[0].path, dir / "step-000003.safetensors");
  EXPECT_THAT(newest.corrupt[0].reason, HasSubstr("step-000003.safetensors is corrupt"));
  EXPECT_THAT(newest.corrupt[1].reason, HasSubstr("step-000002.safetensors has 0 bytes"));
}

TEST(CheckpointDir, KeepsANewCheckpointDespiteCorruptLaterOnes) {
  const ScratchDir dir;
  const CheckpointDir checkpoints(dir.path());
  for (const int64_t step : {8, 9}) checkpoints.save(step, state(step));
  for (const int64_t step : {8, 9}) corrupt_file(dir / concat("step-00000", step, ".safetensors"));
  for (const int64_t step : {1, 2, 3}) checkpoints.save(step, state(step));
  EXPECT_EQ(checkpoints.newest_valid().checkpoint->step, 3);
  EXPECT_EQ(names_in(dir.path()).size(), 4u);
}

TEST(CheckpointDir, IgnoresFilesWithOtherNames) {
  const ScratchDir dir;
  const CheckpointDir checkpoints(dir.path());
  checkpoints.save(5, state(5));
  const std::vector<std::string> others = {"step-7.safetensors",
                                           "step-0000008.safetensors",
                                           "step-00000x.safetensors",
                                           "step--00001.safetensors",
                                           "step-000009.safetensors.x",
                                           "step-.safetensors",
                                           "notes.txt",
                                           "step-000010"};
  for (const auto& name : others) std::ofstream(dir / name) << "not a checkpoint";
  for (const int64_t step : {6, 7, 8}) checkpoints.save(step, state(step));
  const auto newest = checkpoints.newest_valid();
  EXPECT_EQ(newest.checkpoint->step, 8);
  EXPECT_THAT(newest.corrupt, IsEmpty());
  EXPECT_EQ(names_in(dir.path()).size(), 2 + others.size());
}

TEST(CheckpointDir, HasNoCheckpointWithoutDirectory) {
  const ScratchDir dir;
  const auto newest = CheckpointDir(dir / "none").newest_valid();
  EXPECT_FALSE(newest.checkpoint.has_value());
  EXPECT_THAT(newest.corrupt, IsEmpty());
  EXPECT_FALSE(fs::exists(dir / "none"));
}

TEST(CheckpointDir, RemovesTemporaryFilesOfKilledWriters) {
  const ScratchDir dir;
  const pid_t dead = testing::start_child([] { return 0; });
  testing::wait_for(dead);
  std::ofstream(dir / concat(".step-000001.safetensors.tmp.", dead)) << "half";
  CheckpointDir(dir.path()).save(2, state(2));
  EXPECT_THAT(names_in(dir.path()), UnorderedElementsAre("step-000002.safetensors"));
}

TEST(CheckpointDir, ReportsThatItsDirectoryCannotBeCreated) {
  const ScratchDir dir;
  std::ofstream(dir / "file") << "in the way";
  EXPECT_THAT(error_message_of([&] { CheckpointDir(dir / "file/checkpoints").save(1, state(1)); }),
              HasSubstr("file/checkpoints: Not a directory"));
}

}  // namespace
}  // namespace projnce::checkpoint
