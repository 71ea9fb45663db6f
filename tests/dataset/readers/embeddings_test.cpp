#include "projnce/dataset/readers/embeddings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "projnce/dataset/labels.h"
#include "projnce/io/tensor/npy.h"
#include "projnce/io/tensor/safetensors_file.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

class EmbeddingsTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_.root()); }

  void write_vectors(const std::string& file, const std::vector<float>& values, uint64_t columns) {
    io::write_npy(folder_.root() / file, values, {values.size() / columns, columns});
  }
  void write_labels(const std::string& file, const std::vector<int64_t>& labels) {
    io::write_npy(folder_.root() / file, labels, {labels.size()});
  }
  void write_parts() {
    write_vectors("train.npy", {1, 2, 3, 4, 5, 6}, 2);
    write_labels("train_labels.npy", {30, 10, 30});
    write_vectors("test.npy", {7, 8}, 2);
    write_labels("test_labels.npy", {30});
  }
  std::string error_about(const std::filesystem::path& root) {
    return testing::error_message_of([&] { open_embeddings(root); });
  }

  testing::DatasetFolder folder_;
};

TEST_F(EmbeddingsTest, ReadsBothSplitsFromAFolderAndAnArchive) {
  write_parts();
  for (const auto& root : {folder_.root(), folder_.pack()}) {
    const auto split = open_embeddings(root);
    EXPECT_EQ(split.train->kind(), SampleKind::kVector);
    EXPECT_THAT(split.train->class_names(), ElementsAre("10", "30"));
    EXPECT_THAT(labels_of(*split.train), ElementsAre(1, 0, 1));
    EXPECT_THAT(labels_of(*split.test), ElementsAre(1));
    const auto features = std::get<Features>(split.train->decode(1));
    EXPECT_EQ(features.channels, 2);
    EXPECT_EQ(features.height * features.width, 1);
    EXPECT_THAT(features.values, ElementsAre(3, 4));
  }
}

TEST_F(EmbeddingsTest, SplitsVectorsWithoutATestSplit) {
  std::vector<float> values(40);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  write_vectors("embeddings.npy", values, 2);
  std::vector<int64_t> labels(20);
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int64_t>(i % 2);
  write_labels("labels.npy", labels);
  const auto check = [&](const std::filesystem::path& root) {
    const auto shuffled =
        open_embeddings(root, {.test_fraction = 0.3, .seed = 1, .rule = SplitRule::kShuffle});
    EXPECT_THAT(class_counts(*shuffled.train), ElementsAre(7, 7));
    EXPECT_THAT(class_counts(*shuffled.test), ElementsAre(3, 3));
    const auto split = open_embeddings(root, {.test_fraction = 0.3, .seed = 1});
    EXPECT_EQ(split.train->size() + split.test->size(), 20);
    EXPECT_THAT(class_counts(*split.test), Each(AllOf(Ge(1), Le(9))));
  };
  check(folder_.root());
  check(folder_.root() / "embeddings.npy");
  std::filesystem::rename(folder_.root() / "embeddings.npy", folder_.root() / "mine.npy");
  std::filesystem::rename(folder_.root() / "labels.npy", folder_.root() / "mine.labels.npy");
  check(folder_.root());
  check(folder_.root() / "mine.npy");
  EXPECT_TRUE(is_embeddings(folder_.tree()));
}

TEST_F(EmbeddingsTest, ReadsSafetensorsAndSmallIntegers) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<uint8_t> labels = {4, 2, 2, 4};
  const auto file = folder_.root() / "v.safetensors";
  io::write_safetensors(
      file,
      {{"embeddings", io::StoredType::kF64, {4, 2}, std::as_bytes(std::span(values))},
       {"labels", io::StoredType::kU8, {4}, std::as_bytes(std::span(labels))}},
      {});
  const auto split = open_embeddings(file, {.test_fraction = 0.5});
  EXPECT_THAT(class_counts(*split.train), ElementsAre(1, 1));
  EXPECT_THAT(split.test->class_names(), ElementsAre("2", "4"));
  io::write_safetensors(
      file, {{"labels", io::StoredType::kU8, {4}, std::as_bytes(std::span(labels))}}, {});
  EXPECT_THAT(error_about(file),
              HasSubstr("contains neither the tensors 'embeddings' and 'labels'"));
}

TEST_F(EmbeddingsTest, ReadsFloat16) {
  const std::vector<uint16_t> values = {0x3c00, 0xc000, 0x3c00, 0xc000};  // 1, -2, ...
  const std::vector<uint8_t> labels = {0, 1};
  const auto halves = std::as_bytes(std::span(values));
  const auto numbers = std::as_bytes(std::span(labels));
  const auto file = folder_.root() / "v.safetensors";
  io::write_safetensors(file,
                        {{"train_embeddings", io::StoredType::kF16, {2, 2}, halves},
                         {"train_labels", io::StoredType::kU8, {2}, numbers},
                         {"test_embeddings", io::StoredType::kF16, {2, 2}, halves},
                         {"test_labels", io::StoredType::kU8, {2}, numbers}},
                        {});
  const auto split = open_embeddings(file);
  EXPECT_THAT(std::get<Features>(split.train->decode(1)).values, ElementsAre(1, -2));
  const auto infinite = std::vector<uint16_t>{0x3c00, 0x3c00, 0x7c00, 0x3c00};
  io::write_safetensors(
      file,
      {{"embeddings", io::StoredType::kF16, {2, 2}, std::as_bytes(std::span(infinite))},
       {"labels", io::StoredType::kU8, {2}, numbers}},
      {});
  EXPECT_THAT(error_about(file), HasSubstr("contains inf in row 1, expected finite"));
}

TEST_F(EmbeddingsTest, ReadsClassNames) {
  write_parts();
  folder_.write_text("classes.txt", "cat\ndog\n");
  EXPECT_THAT(error_about(folder_.root()), HasSubstr("has the label 30, expected 0 to 1"));
  write_labels("train_labels.npy", {1, 0, 1});
  write_labels("test_labels.npy", {0});
  EXPECT_THAT(open_embeddings(folder_.root()).test->class_names(), ElementsAre("cat", "dog"));
}

TEST_F(EmbeddingsTest, ReportsInconsistentFiles) {
  write_parts();
  write_labels("train_labels.npy", {30, 10});
  EXPECT_THAT(error_about(folder_.root()),
              HasSubstr("train_labels.npy contains 2 labels in 1 dimension, expected 3"));
  write_labels("train_labels.npy", {30, -1, 10});
  EXPECT_THAT(error_about(folder_.root()), HasSubstr("contains -1 in row 1"));
  write_labels("train_labels.npy", {30, 30, 30});
  EXPECT_THAT(error_about(folder_.root()), HasSubstr("has only one class"));
  write_labels("train_labels.npy", {30, 10, 10});
  write_labels("test_labels.npy", {20});
  EXPECT_THAT(error_about(folder_.root()), HasSubstr("the training split does not have"));
  write_labels("test_labels.npy", {30});
  write_vectors("test.npy", {7, 8, 9}, 3);
  EXPECT_THAT(error_about(folder_.root()), HasSubstr("2 dimensions"));
  write_vectors("test.npy", {7, std::numeric_limits<float>::quiet_NaN()}, 2);
  EXPECT_THAT(error_about(folder_.root()), HasSubstr("contains nan in row 0"));
  io::write_npy(folder_.root() / "train.npy", std::vector<double>{1, 2, 3, 1e300, 5, 6}, {3, 2});
  EXPECT_THAT(error_about(folder_.root()), HasSubstr("contains 1e+300 in row 1"));
  write_labels("train.npy", {1, 2, 3});
  EXPECT_THAT(error_about(folder_.root()), HasSubstr("is not a matrix"));
}

TEST_F(EmbeddingsTest, ReportsMissingFiles) {
  EXPECT_THAT(error_about(folder_.root()), HasSubstr("contains no vectors with labels"));
  write_vectors("alone.npy", {1, 2}, 2);
  EXPECT_THAT(error_about(folder_.root() / "alone.npy"), HasSubstr("alone.labels.npy"));
  EXPECT_FALSE(is_embeddings(folder_.tree()));
}

}  // namespace
}  // namespace projnce::dataset
