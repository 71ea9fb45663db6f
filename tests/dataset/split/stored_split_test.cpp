#include "projnce/dataset/split/stored_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/toml.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/io/tensor/safetensors_file.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/decoded_image.h"
#include "tests/support/error_message.h"
#include "tests/support/fake_dataset.h"
#include "tests/support/files.h"

namespace projnce::dataset {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A folder of two classes with images identified by their gray value.
class StoredSplitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 60; ++i) add(i, i % 2 == 0 ? "cat" : "dog");
  }
  void add(int number, const std::string& folder) {
    const auto gray = static_cast<uint8_t>(number);
    folder_.write(concat(folder, "/", number, ".png"),
                  testing::encode_png(testing::plain_image(2, 3, {gray})));
  }
  void move(int number, const std::string& from, const std::string& to) {
    const auto name = concat(number, ".png");
    fs::rename(folder_.root() / from / name, folder_.root() / to / name);
  }

  OpenedDataset open(const OpenContext& context, const std::string& more = {}) {
    const auto table = parse_toml(
        concat("name = 'folder'\nroot = '", folder_.root().native(), "'\n", more), "run.toml");
    return open_dataset(parse_dataset_options(table, context.seed), context);
  }
  StoredSplitPtr record(const std::string& more = {}) {
    return open({.record_split = true}, more).split;
  }

  static std::vector<int> numbers(const Dataset& part) {
    std::vector<int> found;
    for (int64_t i = 0; i < part.size(); ++i) {
      found.push_back(testing::decoded_image(part, i).pixels.at(0));
    }
    return found;
  }

  testing::DatasetFolder folder_;
};

TEST_F(StoredSplitTest, RoundTrips) {
  auto split = *record("max_train = 20");
  split.seen = {{1, 2}, {3, 4}};
  const auto file = folder_.root() / "split.safetensors";
  write_split(file, split);
  const auto read = read_split(file);
  EXPECT_EQ(read.rule, "hash, test_fraction 0.2, seed 0");
  EXPECT_THAT(read.class_names, ElementsAre("cat", "dog"));
  EXPECT_EQ(read.train.ids, split.train.ids);
  EXPECT_EQ(read.train.labels, split.train.labels);
  EXPECT_EQ(read.test.ids, split.test.ids);
  EXPECT_EQ(read.test.labels, split.test.labels);
  EXPECT_EQ(read.seen, split.seen);
  EXPECT_EQ(read.unused, split.unused);
  EXPECT_EQ(read.train.ids.size(), 20U);
  EXPECT_EQ(read.train.ids.size() + read.test.ids.size() + read.unused.size(), 60U);
  EXPECT_EQ(trained_ids(read).size(), 22U);
}

TEST_F(StoredSplitTest, RejectsCorruptAndForeignFiles) {
  const auto file = folder_.root() / "split.safetensors";
  write_split(file, *record());
  auto bytes = testing::octets_of(testing::contents(file));
  bytes[bytes.size() / 2] ^= 1;
  testing::write_file(file, bytes);
  EXPECT_THAT(testing::error_message_of([&] { read_split(file); }), HasSubstr("split.safetensors"));
  bytes.resize(100);
  testing::write_file(file, bytes);
  EXPECT_THAT(testing::error_message_of([&] { read_split(file); }), HasSubstr("split.safetensors"));
  io::write_safetensors(file, {}, {{"format", "another"}});
  EXPECT_THAT(testing::error_message_of([&] { read_split(file); }), HasSubstr("is not a split"));

  const std::vector<int64_t> values = {1, 2, 3, 4};
  const auto data = std::as_bytes(std::span(values));
  const std::map<std::string, std::string> metadata = {
      {"format", "projnce-split-1"}, {"rule", ""}, {"class_names", "[]"}};
  io::write_safetensors(file, {{"train_ids", io::StoredType::kI64, {4}, data}}, metadata);
  EXPECT_THAT(testing::error_message_of([&] { read_split(file); }), HasSubstr("'train_ids'"));
  io::write_safetensors(file,
                        {{"train_ids", io::StoredType::kI64, {2, 2}, data},
                         {"train_labels", io::StoredType::kI64, {4}, data}},
                        metadata);
  EXPECT_THAT(testing::error_message_of([&] { read_split(file); }),
              HasSubstr("2 samples and 4 labels"));
  io::write_safetensors(file, {},
                        {{"format", "projnce-split-1"}, {"rule", ""}, {"class_names", "3"}});
  EXPECT_THAT(testing::error_message_of([&] { read_split(file); }), HasSubstr("class names"));
}

TEST_F(StoredSplitTest, GivesTheSameSplitsInTheSameOrder) {
  for (const std::string more : {"", "split = 'shuffle'", "max_train = 20\nmax_test = 5",
                                 "label_fraction = 0.5", "imbalance = 0.3"}) {
    const auto before = open({.record_split = true}, more);
    const auto after = open({.stored_split = before.split}, more);
    EXPECT_EQ(numbers(*after.train), numbers(*before.train)) << more;
    EXPECT_EQ(numbers(*after.test), numbers(*before.test)) << more;
    EXPECT_FALSE(after.changes.any()) << more;
  }
}

TEST_F(StoredSplitTest, CountsChangesAndSkipsNewSamples) {
  const auto before = open({.record_split = true}, "split = 'shuffle'");
  const auto test_before = numbers(*before.test);
  const int gone = test_before.at(0);
  fs::remove(folder_.root() / (gone % 2 == 0 ? "cat" : "dog") / concat(gone, ".png"));
  const int moved = test_before.at(1);
  move(moved, moved % 2 == 0 ? "cat" : "dog", moved % 2 == 0 ? "dog" : "cat");
  add(100, "cat");
  add(101, "dog");
  const auto after = open({.stored_split = before.split}, "split = 'shuffle'");
  EXPECT_EQ(numbers(*after.train), numbers(*before.train));
  EXPECT_EQ(numbers(*after.test), std::vector<int>(test_before.begin() + 1, test_before.end()));
  EXPECT_EQ(after.changes.gone, 1);
  EXPECT_EQ(after.changes.gone_test, 1);
  EXPECT_EQ(after.changes.added, 2);
  EXPECT_EQ(after.changes.relabeled, 1);
  EXPECT_EQ(after.test->label(0), moved % 2 == 0 ? 1 : 0) << "the current label";

  const auto kept = open({.stored_split = before.split, .new_samples = NewSamples::kKeep});
  EXPECT_EQ(kept.train->size() + kept.test->size(), 61);
}

TEST_F(StoredSplitTest, SamplesSkippedByALimitAreNotNew) {
  const auto split = record("max_train = 10");
  EXPECT_EQ(open({.stored_split = split}, "max_train = 10").changes.added, 0);
  const auto kept = open({.stored_split = split, .new_samples = NewSamples::kKeep});
  EXPECT_EQ(kept.train->size(), 10);
}

TEST_F(StoredSplitTest, RejectsOtherDataUnlessNewSamplesAreKept) {
  const auto split = record();
  for (int i = 0; i < 60; ++i) folder_.remove(concat(i % 2 == 0 ? "cat/" : "dog/", i, ".png"));
  for (int i = 100; i < 120; ++i) add(i, i % 2 == 0 ? "cat" : "dog");
  EXPECT_THAT(testing::error_message_of([&] { open({.stored_split = split}); }),
              HasSubstr("contains none of the training samples of the run"));
  const auto kept = open({.stored_split = split, .new_samples = NewSamples::kKeep});
  EXPECT_EQ(kept.changes.gone, 60);
  EXPECT_EQ(kept.changes.added, 20);
  EXPECT_EQ(numbers(*kept.test), numbers(*open({}).test));
}

TEST_F(StoredSplitTest, LabelNoiseIsStableIfSamplesAreMissing) {
  const std::string noise = "[label_noise]\nrate = 0.4\nseed = 3";
  const auto before = open({.record_split = true}, noise);
  const auto first = numbers(*before.train).at(0);
  fs::remove(folder_.root() / (first % 2 == 0 ? "cat" : "dog") / concat(first, ".png"));
  const auto after = open({.stored_split = before.split}, noise);
  ASSERT_EQ(after.train->size() + 1, before.train->size());
  for (int64_t i = 0; i < after.train->size(); ++i) {
    EXPECT_EQ(after.train->label(i), before.train->label(i + 1)) << i;
  }
  EXPECT_NE(labels_of(*after.train), after.clean_train_labels);
}

TEST_F(StoredSplitTest, SamplesInBothSplitsKeepTheirSplits) {
  // FakeDataset: samples with equal indices are equal.
  DatasetSplit split{.train = testing::fake_dataset({0, 1, 1, 0}),
                     .test = testing::fake_dataset({0, 1})};
  const auto stored = describe_split(split, {});
  const auto changes = apply_split(split, stored, NewSamples::kSkip);
  EXPECT_FALSE(changes.any());
  EXPECT_EQ(split.train->size(), 4);
  EXPECT_EQ(split.test->size(), 2);
  EXPECT_THAT(changes.train_rows, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(stored.unused, IsEmpty());
}

TEST_F(StoredSplitTest, FingerprintDependsOnTestSamplesAndLabels) {
  const auto before = test_set_fingerprint(*record());
  EXPECT_EQ(test_set_fingerprint(*record("max_train = 10")), before);
  EXPECT_NE(test_set_fingerprint(*record("split_seed = 1")), before);
  const auto tested = numbers(*open({}).test).at(0);
  move(tested, tested % 2 == 0 ? "cat" : "dog", tested % 2 == 0 ? "dog" : "cat");
  EXPECT_NE(test_set_fingerprint(*record()), before);
}

}  // namespace
}  // namespace projnce::dataset
