#include "projnce/run/reproducibility_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <fstream>

#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "tests/support/error_message.h"
#include "tests/support/fake_dataset.h"
#include "tests/support/files.h"

namespace projnce::run {
namespace {

using ::testing::HasSubstr;

TEST(SettingChanges, ListsEverySettingThatDiffers) {
  const auto before =
      parse_toml("seed = 1\nthreads = 2\n[train]\nepochs = 10\nclip_norm = 1\n", "a");
  EXPECT_EQ(setting_changes(before, before), "");
  const auto same = parse_toml("threads = 0\n[train]\nclip_norm = 1.0\n", "b");
  EXPECT_EQ(setting_changes(before, same), "") << "1 equals 1.0, and threads are not compared";
  const auto now = parse_toml("seed = 2\n[train]\nepochs = 20\n[loss]\nname = 'ce'\n", "c");
  EXPECT_EQ(setting_changes(before, now),
            "seed = 2 instead of 1, loss.name = 'ce' instead of unset, "
            "train.epochs = 20 instead of 10");
}

TEST(ReproducibilityInfo, ListsChanges) {
  const auto before = reproducibility_info(/*threads=*/1, /*ranks=*/2);
  EXPECT_EQ(reproducibility_changes(before, before), "");
  const auto changes = reproducibility_changes(before, reproducibility_info(2, 1));
  EXPECT_THAT(changes, HasSubstr("threads 2 instead of 1"));
  EXPECT_THAT(changes, HasSubstr("ranks 1 instead of 2"));
  EXPECT_THAT(reproducibility_changes({}, before), HasSubstr("instead of unknown"));
}

TEST(RunConditions, AreRestoredFromTheirText) {
  const RunConditions before{.made_with = {{"ranks", "2"}, {"threads", "1"}},
                             .data = {{"files", "f"}, {"samples", "s"}}};
  const auto after = conditions_from_text(to_text(before), "checkpoint");
  EXPECT_EQ(after.made_with, before.made_with);
  EXPECT_EQ(after.data, before.data);
}

TEST(RunConditions, RejectsMalformedText) {
  for (const auto* text : {"{}", "[]", "3", R"({"made_with": {}, "data": {"files": "f"}})",
                           R"({"made_with": {"ranks": 2}, "data": {"files": "", "samples": ""}})",
                           R"({"made_with": {}, "data": {"files": 1, "samples": ""}})"}) {
    EXPECT_THAT(testing::error_message_of([&] { conditions_from_text(text, "step-3"); }),
                HasSubstr("step-3"))
        << text;
  }
}

/// Path of a library that this process has loaded.
std::string loaded_library(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/" + name) != std::string::npos) return line.substr(line.find('/'));
  }
  return {};
}

std::string hash_of_file(const std::string& path) {
  const auto bytes = testing::contents(path);
  const auto hash = XXH3_128bits(bytes.data(), bytes.size());
  return concat(std::hex, hash.high64, "-", hash.low64);
}

TEST(ProgramFingerprint, HashesTheProgramAndItsLibrary) {
  const auto library = loaded_library("libprojnce.so");
  ASSERT_NE(library, "");
  EXPECT_EQ(program_fingerprint(), hash_of_file("/proc/self/exe") + " " + hash_of_file(library));
}

TEST(DataFingerprint, DependsOnSamplesAndLabels) {
  const auto of = [](const testing::FakeDataset& samples) { return data_fingerprint({&samples}); };
  const auto first = of(testing::FakeDataset({0, 1, 1}));
  EXPECT_EQ(first, of(testing::FakeDataset({0, 1, 1})));
  EXPECT_NE(first, of(testing::FakeDataset({0, 1, 0})));
  EXPECT_NE(first, of(testing::FakeDataset({0, 1})));
  EXPECT_NE(first, of(testing::FakeDataset({0, 1, 1}, /*corrupt=*/{1})));
}

/// Samples of another dataset in reverse order.
class ReversedDataset : public dataset::DatasetWrapper {
 public:
  using dataset::DatasetWrapper::DatasetWrapper;
  int64_t label(int64_t i) const override { return base().label(size() - 1 - i); }
  std::string sample_name(int64_t i) const override { return base().sample_name(size() - 1 - i); }
  Sample decode(int64_t i) const override { return base().decode(size() - 1 - i); }
};

TEST(SplitFingerprint, DependsOnSamplesAndLabelsButNotOnOrder) {
  const auto base = testing::fake_dataset({0, 1, 1});
  const auto first = split_fingerprint(*base, {}, true);
  EXPECT_EQ(first, split_fingerprint(ReversedDataset(base), {}, true));
  EXPECT_EQ(first, split_fingerprint(*testing::fake_dataset({1, 0, 0}), {0, 1, 1}, true));
  EXPECT_NE(first, split_fingerprint(*testing::fake_dataset({0, 1, 0}), {}, true));
  EXPECT_NE(first, split_fingerprint(*testing::fake_dataset({0, 1}), {}, true));
}

TEST(SplitFingerprint, DependsOnContentsIfRequested) {
  const auto whole = testing::fake_dataset({0, 1, 1});
  const auto corrupt = testing::fake_dataset({0, 1, 1}, /*corrupt=*/{1});
  EXPECT_NE(split_fingerprint(*whole, {}, true), split_fingerprint(*corrupt, {}, true));
  EXPECT_EQ(split_fingerprint(*whole, {}, false), split_fingerprint(*corrupt, {}, false));
}

}  // namespace
}  // namespace projnce::run
