#include "projnce/checkpoint/checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/core/error.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::checkpoint {
namespace {

using testing::names_in;
using testing::ScratchDir;
using ::testing::UnorderedElementsAre;

TEST(CheckpointWriter, WritesTheStateAtTheTimeOfTheCall) {
  const ScratchDir dir;
  const auto weights = torch::ones({1000});
  CheckpointWriter writer(CheckpointDir(dir.path()), make_logger());
  for (int64_t step = 1; step <= 3; ++step) {
    writer.save({.step = step, .state = {{{"w", weights}}, {{"step", std::to_string(step)}}}});
    weights.add_(1);  // training continues
  }
  writer.wait();
  EXPECT_EQ(writer.failures(), 0);
  EXPECT_EQ(writer.newest(), dir / "step-000003.safetensors");
  const auto newest = CheckpointDir(dir.path()).newest_valid();
  EXPECT_EQ(newest.checkpoint->step, 3);
  EXPECT_TRUE(torch::equal(newest.checkpoint->state.tensors[0].second, torch::full({1000}, 3.0F)));
  EXPECT_TRUE(torch::equal(load_tensors(dir / "step-000002.safetensors").tensors[0].second,
                           torch::full({1000}, 2.0F)));
}

TEST(CheckpointWriter, SupportsTensorsThatChangeShapeAndLayout) {
  torch::manual_seed(1);
  const ScratchDir dir;
  CheckpointWriter writer(CheckpointDir(dir.path()), make_logger());
  const auto plain = torch::rand({2, 3, 4, 4});
  writer.save({.step = 1, .state = {{{"w", plain}}, {}}});
  writer.save(
      {.step = 2, .state = {{{"w", plain.contiguous(torch::MemoryFormat::ChannelsLast)}}, {}}});
  writer.wait();
  for (const auto* name : {"step-000001.safetensors", "step-000002.safetensors"}) {
    EXPECT_TRUE(torch::equal(load_tensors(dir / name).tensors[0].second, plain)) << name;
  }
  writer.save({.step = 3, .state = {{{"a", plain[0]}, {"b", torch::ones({2}, torch::kLong)}}, {}}});
  writer.wait();
  EXPECT_EQ(load_tensors(dir / "step-000003.safetensors").tensors.size(), 2U);
}

TEST(CheckpointWriter, CountsFailuresAndKeepsOlderCheckpoints) {
  const ScratchDir dir;
  CheckpointWriter writer(CheckpointDir(dir.path()), make_logger());
  const TensorFile state{{{"w", torch::ones({3})}}, {}};
  writer.save({.step = 1, .state = state, .best = true});
  writer.save({.step = 2, .state = state, .before = [] { fail_runtime("the disk is full"); }});
  writer.wait();
  EXPECT_EQ(writer.failures(), 1);
  EXPECT_EQ(writer.newest(), dir / "step-000001.safetensors");
  EXPECT_THAT(names_in(dir.path()),
              UnorderedElementsAre("best.safetensors", "step-000001.safetensors"));
}

TEST(CheckpointWriter, RetriesABestCheckpointThatFailed) {
  const ScratchDir dir;
  CheckpointWriter writer(CheckpointDir(dir.path()), make_logger());
  const auto weights = torch::ones({3});
  const TensorFile state{{{"w", weights}}, {}};
  bool full = true;
  const auto disk = [&] {
    if (full) fail_runtime("the disk is full");
  };
  writer.save({.step = 1, .state = state, .best = true, .before = disk});
  writer.wait();
  weights.add_(1);
  writer.save({.step = 2, .state = state, .before = disk});
  writer.wait();
  EXPECT_THAT(names_in(dir.path()), ::testing::IsEmpty());
  full = false;
  writer.finish();
  EXPECT_EQ(writer.failures(), 2);
  EXPECT_TRUE(
      torch::equal(load_tensors(dir / "best.safetensors").tensors[0].second, torch::ones({3})));
}

}  // namespace
}  // namespace projnce::checkpoint
