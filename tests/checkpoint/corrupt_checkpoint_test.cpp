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

/// A small checkpoint with several types of tensors.
class CorruptCheckpoint : public ::testing::Test {
 protected:
  CorruptCheckpoint() {
    torch::manual_seed(1);
    const TensorFile state{{{"model.weight", torch::rand({3, 5})},
                            {"model.steps", torch::tensor({7})},
                            {"random.generators", torch::ones({1, 40}, torch::kUInt8)}},
                           {{"state", "{\"epoch\": 3, \"batch\": 2}"}, {"run", "{}"}}};
    CheckpointDir(dir.path()).save(1, state);
    CheckpointDir(dir.path()).save(2, state);
    valid = contents(newest);
  }

  bool is_detected(const std::string& bytes) const {
    try {
      io::parse_safetensors(std::as_bytes(std::span(bytes)), io::Integrity::kRequired, "x");
      return false;
    } catch (const Error&) {
      return true;
    }
  }

  /// Checks that loading falls back to the previous checkpoint and reports the corrupt one.
  void expect_predecessor_used(const std::string& bytes) {
    io::write_file_atomically(newest, std::as_bytes(std::span(bytes)), io::Durability::kNoSync);
    const auto found = CheckpointDir(dir.path()).newest_valid();
    ASSERT_TRUE(found.checkpoint);
    EXPECT_EQ(found.checkpoint->step, 1);
    ASSERT_EQ(found.corrupt.size(), 1U);
    EXPECT_THAT(found.corrupt[0].reason, ::testing::HasSubstr(newest.string()));
  }

  ScratchDir dir;
  std::filesystem::path newest = dir / "step-000002.safetensors";
  std::string valid;
};

TEST_F(CorruptCheckpoint, IsDetectedForEveryFlippedBit) {
  ASSERT_FALSE(is_detected(valid));
  size_t undetected = 0;
  for (size_t bit = 0; bit < 8 * valid.size(); ++bit) {
    auto corrupt = valid;
    corrupt[bit / 8] = static_cast<char>(corrupt[bit / 8] ^ (1 << bit % 8));
    if (!is_detected(corrupt)) ++undetected;
    if (bit % 257 == 0) expect_predecessor_used(corrupt);
  }
  EXPECT_EQ(undetected, 0U) << "of " << 8 * valid.size();
  RecordProperty("flips", static_cast<int>(8 * valid.size()));
}

TEST_F(CorruptCheckpoint, IsDetectedForEveryTruncationAndZeroedTail) {
  size_t undetected = 0;
  for (size_t length = 0; length < valid.size(); ++length) {
    const auto cut = valid.substr(0, length);
    auto zeroed = cut + std::string(valid.size() - length, '\0');
    if (!is_detected(cut)) ++undetected;
    if (zeroed != valid && !is_detected(zeroed)) ++undetected;
    if (!is_detected(valid + std::string(length + 1, '\0'))) ++undetected;
    if (length % 31 == 0) {
      expect_predecessor_used(cut);
      expect_predecessor_used(zeroed);
    }
  }
  EXPECT_EQ(undetected, 0U);
}

}  // namespace
}  // namespace projnce::checkpoint
