#include "projnce/io/filesystem/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using testing::error_message_of;
using ::testing::HasSubstr;
using testing::ScratchDir;

TEST(RunDirectory, RemovesOnlyTemporariesOfDeadProcesses) {
  const ScratchDir dir;
  std::filesystem::create_directories(dir / "projector");
  constexpr auto kDead = "4194305";  // above Linux's maximum process id
  for (const auto* name : {".tsne.npy.tmp.", "projector/.metadata.tsv.tmp."}) {
    std::ofstream(dir / (name + std::string(kDead))) << "x";
  }
  std::ofstream(dir / "projector/metadata.tsv") << "x";
  remove_leftovers(RunPaths{dir.path()});
  EXPECT_FALSE(std::filesystem::exists(dir / (".tsne.npy.tmp." + std::string(kDead))));
  EXPECT_FALSE(
      std::filesystem::exists(dir / ("projector/.metadata.tsv.tmp." + std::string(kDead))));
  EXPECT_TRUE(std::filesystem::exists(dir / "projector/metadata.tsv"));
}

TEST(RunDirectory, RejectsDirectoriesThatAreNotEmpty) {
  const ScratchDir dir;
  check_new_run(dir / "new/run");
  EXPECT_FALSE(std::filesystem::exists(dir / "new")) << "checking writes nothing";

  const auto run = make_run(dir / "run");
  std::ofstream(dir / "run/other.txt") << "x";
  EXPECT_THAT(error_message_of([&] { check_new_run(dir / "run"); }), HasSubstr("is not empty"));
  std::ofstream(run.config()) << "seed = 1";
  EXPECT_THAT(error_message_of([&] { check_new_run(dir / "run"); }),
              HasSubstr("already contains a run"));
  EXPECT_THAT(error_message_of([&] { check_new_run(run.config()); }), HasSubstr("is a file"));
  EXPECT_THAT(error_message_of([&] { check_new_run(run.config() / "run"); }),
              HasSubstr("is not writable"));
}

TEST(RunDirectory, FindsARunByItsConfiguration) {
  const ScratchDir dir;
  EXPECT_THAT(error_message_of([&] { find_run(dir.path()); }), HasSubstr("does not contain a run"));
  std::ofstream(dir / "config.toml") << "seed = 1";
  EXPECT_EQ(find_run(dir.path()).root, dir.path());
}

TEST(RunDirectory, AppendsANumberToExistingNames) {
  const ScratchDir dir;
  EXPECT_EQ(unused_run_path(dir / "a"), dir / "a");
  make_run(dir / "a");
  make_run(dir / "a-2");
  EXPECT_EQ(unused_run_path(dir / "a"), dir / "a-3");
}

TEST(RunDirectory, AcceptsLeftoversOfARunKilledAtItsStart) {
  const ScratchDir dir;
  const auto run = make_run(dir / "run");
  std::ofstream(run.lock()) << "process 1";
  std::ofstream(dir / "run/.config.toml.tmp.123") << "seed";
  EXPECT_NO_THROW(check_new_run(dir / "run"));
  std::ofstream(run.checkpoints() / "step-000001.safetensors") << "x";
  EXPECT_THAT(error_message_of([&] { check_new_run(dir / "run"); }), HasSubstr("is not empty"));
}

}  // namespace
}  // namespace projnce::io
