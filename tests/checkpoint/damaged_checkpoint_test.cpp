#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/checkpoint/checkpoints.h"
#include "projnce/core/error.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::checkpoint {
namespace {

using testing::contents;
using testing::ScratchDir;

/// A small checkpoint of a few kinds of tensors, and what is made of it.
class DamagedCheckpoint : public ::testing::Test {
 protected:
  DamagedCheckpoint() {
    torch::manual_seed(1);
    const TensorFile state{{{"model.weight", torch::rand({3, 5})},
                            {"model.steps", torch::tensor({7})},
                            {"random.generators", torch::ones({1, 40}, torch::kUInt8)}},
                           {{"state", "{\"epoch\": 3, \"batch\": 2}"}, {"run", "{}"}}};
    CheckpointDir(dir.path()).save(1, state);
    CheckpointDir(dir.path()).save(2, state);
    intact = contents(newest);
  }

  bool is_noticed(const std::string& bytes) const {
    try {
      io::parse_safetensors(std::as_bytes(std::span(bytes)), io::Integrity::kRequired, "x");
      return false;
    } catch (const Error&) {
      return true;
    }
  }

  /// Also through the file: the checkpoint before is taken, and the damaged one named.
  void expect_predecessor_used(const std::string& bytes) {
    io::write_file_atomically(newest, std::as_bytes(std::span(bytes)), io::Durability::kNoSync);
    const auto found = CheckpointDir(dir.path()).newest_valid();
    ASSERT_TRUE(found.checkpoint);
    EXPECT_EQ(found.checkpoint->step, 1);
    ASSERT_EQ(found.damaged.size(), 1U);
    EXPECT_THAT(found.damaged[0].reason, ::testing::HasSubstr(newest.string()));
  }

  ScratchDir dir;
  std::filesystem::path newest = dir / "step-000002.safetensors";
  std::string intact;
};

TEST_F(DamagedCheckpoint, IsNoticedByEveryFlippedBit) {
  ASSERT_FALSE(is_noticed(intact));
  size_t unnoticed = 0;
  for (size_t bit = 0; bit < 8 * intact.size(); ++bit) {
    auto damaged = intact;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    if (!is_noticed(damaged)) ++unnoticed;
    if (bit % 257 == 0) expect_predecessor_used(damaged);
  }
  EXPECT_EQ(unnoticed, 0U) << "of " << 8 * intact.size();
  RecordProperty("flips", static_cast<int>(8 * intact.size()));
}

TEST_F(DamagedCheckpoint, IsNoticedByEveryTruncationAndZeroedTail) {
  size_t unnoticed = 0;
  for (size_t length = 0; length < intact.size(); ++length) {
    const auto cut = intact.substr(0, length);
    auto zeroed = cut + std::string(intact.size() - length, '\0');
    if (!is_noticed(cut)) ++unnoticed;
    if (zeroed != intact && !is_noticed(zeroed)) ++unnoticed;
    if (!is_noticed(intact + std::string(length + 1, '\0'))) ++unnoticed;
    if (length % 31 == 0) {
      expect_predecessor_used(cut);
      expect_predecessor_used(zeroed);
    }
  }
  EXPECT_EQ(unnoticed, 0U);
}

}  // namespace
}  // namespace projnce::checkpoint
