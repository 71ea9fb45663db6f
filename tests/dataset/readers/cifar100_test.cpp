#include "projnce/dataset/readers/image_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/decoded_image.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using testing::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Cifar100Test : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("train.bin", joined({record(0, 5), record(19, 99), record(3, 7)}));
    folder_.write("test.bin", joined({record(1, 98)}));
    std::string fine;
    for (int i = 0; i < 100; ++i) fine += concat("fine ", i, "\n");
    std::string coarse;
    for (int i = 0; i < 20; ++i) coarse += concat("coarse ", i, "\n");
    folder_.write_text("fine_label_names.txt", fine);
    folder_.write_text("coarse_label_names.txt", coarse);
  }

  static Bytes record(int coarse, int fine) {
    Bytes bytes(3074, static_cast<uint8_t>(fine));
    bytes[0] = static_cast<uint8_t>(coarse);
    return bytes;
  }
  static Bytes joined(const std::vector<Bytes>& parts) {
    Bytes bytes;
    for (const auto& part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
    return bytes;
  }
  std::string error_on_opening(const Cifar100Options& options = {}) {
    return testing::error_message_of([&] { open_cifar100(folder_.tree(), options); });
  }

  testing::DatasetFolder folder_;
};

TEST_F(Cifar100Test, ReadsTheFineLabelsFromAFolderAndAnArchive) {
  for (const auto& tree : {folder_.tree(), folder_.packed()}) {
    const auto split = open_cifar100(tree);
    EXPECT_THAT(labels_of(*split.train), ElementsAre(5, 99, 7));
    EXPECT_EQ(split.train->class_names()[99], "fine 99");
    EXPECT_EQ(testing::decoded_image(*split.test, 0).pixels[0], 98);
    EXPECT_TRUE(is_cifar100(tree));
  }
}

TEST_F(Cifar100Test, CoarseReplacesTheLabelsOfBothSplits) {
  const auto split = open_cifar100(folder_.tree(), {.coarse = true});
  EXPECT_THAT(labels_of(*split.train), ElementsAre(0, 19, 3));
  EXPECT_THAT(labels_of(*split.test), ElementsAre(1));
  EXPECT_EQ(split.test->class_names()[1], "coarse 1");
  EXPECT_EQ(split.reference, nullptr);
}

TEST_F(Cifar100Test, CoarseTrainingEvaluatesOnTheFineLabels) {
  const auto split = open_cifar100(folder_.tree(), {.coarse_training = true});
  EXPECT_THAT(labels_of(*split.train), ElementsAre(0, 19, 3));
  EXPECT_THAT(labels_of(*split.reference), ElementsAre(5, 99, 7));
  EXPECT_THAT(labels_of(*split.test), ElementsAre(98));
  EXPECT_EQ(split.train->class_names().size(), 20U);
  EXPECT_EQ(split.reference->class_names(), split.test->class_names());
  EXPECT_THAT(error_on_opening({.coarse = true, .coarse_training = true}),
              HasSubstr("coarse and coarse_training are both set"));
}

TEST_F(Cifar100Test, UsesOfficialNamesIfMissing) {
  folder_.remove("fine_label_names.txt");
  const auto split = open_cifar100(folder_.tree());
  EXPECT_EQ(split.train->class_names()[0], "apple");
  EXPECT_EQ(split.train->class_names()[99], "worm");
  EXPECT_THAT(split.remarks, ElementsAre(HasSubstr("fine_label_names.txt is missing")));
  folder_.remove("coarse_label_names.txt");
  EXPECT_EQ(open_cifar100(folder_.tree(), {.coarse = true}).train->class_names()[19], "vehicles_2");
}

TEST_F(Cifar100Test, ReportsCorruptFiles) {
  folder_.write("train.bin", joined({record(0, 1), record(0, 100)}));
  EXPECT_THAT(error_on_opening(), HasSubstr("/train.bin has the label 100, expected 0 to 99"));
  folder_.write("train.bin", joined({record(20, 1)}));
  EXPECT_THAT(error_on_opening(), HasSubstr("/train.bin has the label 20, expected 0 to 19"))
      << "even if the coarse labels are unused";
  folder_.write("train.bin", Bytes(3073));
  EXPECT_THAT(error_on_opening(), HasSubstr("train.bin has 3073 bytes"));
  folder_.remove("train.bin");
  EXPECT_THAT(error_on_opening(), HasSubstr("train.bin does not exist"));
}

}  // namespace
}  // namespace projnce::dataset
