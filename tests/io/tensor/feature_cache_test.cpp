#include "projnce/io/tensor/feature_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <atomic>
#include <thread>

#include "tests/support/child_process.h"
#include "tests/support/data_files.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using testing::contents;
using ::testing::HasSubstr;

Features counting_features(int height, int width, float first = 0) {
  Features features{.channels = 1, .height = height, .width = width, .values = {}};
  for (int i = 0; i < height * width; ++i) features.values.push_back(first + float(i));
  return features;
}

bool same(const std::optional<Features>& found, const Features& expected) {
  return found && found->channels == expected.channels && found->height == expected.height &&
         found->width == expected.width && found->values == expected.values;
}

void overwrite(const std::filesystem::path& path, const std::string& bytes) {
  testing::write_file(path, testing::octets_of(bytes));
}

/// Replaces an entry by bytes with a valid checksum.
void write_with_checksum(const std::filesystem::path& path, std::string bytes) {
  const uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
  overwrite(path, bytes);
}

class FeatureCacheTest : public ::testing::Test {
 protected:
  testing::ScratchDir dir_;
  FeatureCache cache_{dir_ / "cache"};
  Features features_ = counting_features(3, 4);
};

TEST_F(FeatureCacheTest, FindsStoredEntries) {
  EXPECT_FALSE(cache_.find("a").has_value());
  EXPECT_TRUE(cache_.store("a", features_));
  EXPECT_TRUE(cache_.store("b", counting_features(1, 1, 7)));
  EXPECT_TRUE(same(cache_.find("a"), features_));
  EXPECT_TRUE(same(cache_.find("b"), counting_features(1, 1, 7)));
  EXPECT_FALSE(cache_.find("c").has_value());
  EXPECT_TRUE(same(FeatureCache(dir_ / "cache").find("a"), features_));
  EXPECT_EQ(cache_.first_failure(), "");
}

TEST_F(FeatureCacheTest, StoringAgainReplacesTheEntry) {
  EXPECT_TRUE(cache_.store("a", features_));
  EXPECT_TRUE(cache_.store("a", counting_features(2, 2, 9)));
  EXPECT_TRUE(same(cache_.find("a"), counting_features(2, 2, 9)));
}

TEST_F(FeatureCacheTest, EntriesOfWrongLengthAreMissing) {
  cache_.store("a", features_);
  const auto path = cache_.entry_path("a");
  const auto whole = contents(path);
  for (size_t size = 0; size < whole.size(); ++size) {
    overwrite(path, whole.substr(0, size));
    EXPECT_FALSE(cache_.find("a").has_value()) << size;
  }
  overwrite(path, whole + "x");
  EXPECT_FALSE(cache_.find("a").has_value());
  EXPECT_TRUE(cache_.store("a", features_));
  EXPECT_TRUE(same(cache_.find("a"), features_));
}

TEST_F(FeatureCacheTest, EntriesWithAChangedByteAreMissing) {
  cache_.store("a", features_);
  const auto path = cache_.entry_path("a");
  const auto whole = contents(path);
  for (size_t at = 0; at < whole.size(); ++at) {
    auto changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    overwrite(path, changed);
    EXPECT_FALSE(cache_.find("a").has_value()) << at;
  }
}

TEST_F(FeatureCacheTest, InvalidEntriesWithAValidChecksumAreMissing) {
  cache_.store("a", features_);
  const auto path = cache_.entry_path("a");
  const auto whole = contents(path);
  const auto content = whole.substr(0, whole.size() - 8);
  write_with_checksum(path, content);
  ASSERT_TRUE(same(cache_.find("a"), features_)) << "the entry is made as the test believes";
  // The first byte of magic, version, channels, height, width and key.
  for (const size_t at : {0U, 8U, 12U, 16U, 20U, 24U}) {
    for (const char value : {'\x00', '\xFF'}) {
      auto changed = content;
      changed[at] = value;
      write_with_checksum(path, changed);
      EXPECT_FALSE(cache_.find("a").has_value()) << at;
    }
  }
  auto huge = content;
  for (const size_t at : {12U, 16U, 20U}) huge.replace(at, 4, "\xFF\xFF\xFF\x7F");
  write_with_checksum(path, huge);
  EXPECT_FALSE(cache_.find("a").has_value());
  write_with_checksum(path, content + std::string(3, 'x'));
  EXPECT_FALSE(cache_.find("a").has_value());
}

TEST_F(FeatureCacheTest, EntriesOfAnotherKeyAreMissing) {
  cache_.store("a", features_);
  const auto other = cache_.entry_path("b");
  std::filesystem::create_directories(other.parent_path());
  std::filesystem::copy_file(cache_.entry_path("a"), other);
  EXPECT_FALSE(cache_.find("b").has_value());
}

TEST_F(FeatureCacheTest, SpecialFilesAreMissingEntriesAndRemain) {
  const auto pipe = cache_.entry_path("pipe");
  std::filesystem::create_directories(pipe.parent_path());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_directories(cache_.entry_path("folder"));
  const auto link = cache_.entry_path("link");
  std::filesystem::create_directories(link.parent_path());
  overwrite(dir_ / "outside", "mine");
  std::filesystem::create_symlink(dir_ / "outside", link);
  for (const auto* key : {"pipe", "folder", "link"}) {
    EXPECT_FALSE(cache_.find(key).has_value()) << key;
    EXPECT_FALSE(cache_.store(key, features_)) << key;
  }
  EXPECT_EQ(contents(dir_ / "outside"), "mine");
}

TEST_F(FeatureCacheTest, ReportsTheFirstWriteFailure) {
  overwrite(dir_ / "file", "not a folder");
  FeatureCache cache(dir_ / "file");
  EXPECT_FALSE(cache.store("a", features_));
  const auto first = cache.first_failure();
  EXPECT_THAT(first, HasSubstr((dir_ / "file").string()));
  EXPECT_FALSE(cache.store("b", features_));
  EXPECT_EQ(cache.first_failure(), first);
  EXPECT_FALSE(cache.find("a").has_value());
}

TEST_F(FeatureCacheTest, FullDiskLeavesNoEntry) {
  const int status = testing::wait_for(testing::start_child([&] {
    testing::limit_file_size(60);
    const bool kept = cache_.store("a", features_);
    return !kept && !cache_.first_failure().empty() && !cache_.find("a") ? 0 : 1;
  }));
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(testing::names_in(cache_.entry_path("a").parent_path()).empty());
}

TEST_F(FeatureCacheTest, RejectsInconsistentShapes) {
  auto wrong = features_;
  wrong.values.pop_back();
  EXPECT_FALSE(cache_.store("a", wrong));
  EXPECT_THAT(cache_.first_failure(), HasSubstr("3 x 4 features with 11 values"));
  EXPECT_FALSE(cache_.store("a", {.channels = 1, .height = 0, .width = 5, .values = {}}));
}

TEST_F(FeatureCacheTest, ThreadsMayShareAKey) {
  const auto large = counting_features(64, 64);
  std::atomic<int> broken = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        if (!cache_.store("a", large)) ++broken;
        const auto found = cache_.find("a");
        if (found && !same(found, large)) ++broken;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(broken, 0) << cache_.first_failure();
  EXPECT_TRUE(same(cache_.find("a"), large));
}

TEST_F(FeatureCacheTest, ProcessesMayShareAFolderAndBeKilled) {
  const auto large = counting_features(128, 200);
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    children.push_back(testing::start_child([&] {
      for (;;) {
        if (!cache_.store("a", large)) return 1;
      }
    }));
  }
  while (!cache_.find("a")) std::this_thread::yield();
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(same(cache_.find("a"), large)) << i;
  for (const pid_t child : children) ::kill(child, SIGKILL);
  for (const pid_t child : children) EXPECT_TRUE(WIFSIGNALED(testing::wait_for(child)));
  EXPECT_TRUE(same(cache_.find("a"), large));
  EXPECT_TRUE(cache_.store("a", features_));
  EXPECT_TRUE(same(cache_.find("a"), features_));
}

}  // namespace
}  // namespace projnce::io
