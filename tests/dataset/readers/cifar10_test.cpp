#include "projnce/dataset/readers/image_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/decoded_image.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using testing::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two records per batch; record k has label k, red 10 + k, green 50 and blue 90.
class Cifar10Test : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int batch = 0; batch < 5; ++batch) {
      folder_.write(concat("data_batch_", batch + 1, ".bin"), records(2 * batch, 2));
    }
    folder_.write("test_batch.bin", records(3, 3));
    folder_.write_text("batches.meta.txt",
                       "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n");
  }

  static Bytes records(int first_label, int count) {
    Bytes bytes;
    for (int label = first_label; label < first_label + count; ++label) {
      bytes.push_back(static_cast<uint8_t>(label));
      bytes.insert(bytes.end(), 1024, static_cast<uint8_t>(10 + label));
      bytes.insert(bytes.end(), 1024, 50);
      bytes.insert(bytes.end(), 1024, 90);
    }
    return bytes;
  }

  std::string error_on_opening() {
    return testing::error_message_of([this] { open_cifar10(folder_.tree()); });
  }

  testing::DatasetFolder folder_;
};

TEST_F(Cifar10Test, ReadsLabelsNamesAndPixelsFromAFolderAndAnArchive) {
  for (const auto& tree : {folder_.tree(), folder_.packed()}) {
    const auto split = open_cifar10(tree);
    EXPECT_THAT(labels_of(*split.train), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    EXPECT_THAT(labels_of(*split.test), ElementsAre(3, 4, 5));
    EXPECT_EQ(split.train->class_names()[9], "truck");
    EXPECT_EQ(split.train->sample_name(3), "data_batch_2.bin:1");
    const auto image = testing::decoded_image(*split.train, 3);
    EXPECT_EQ(image.width, 32);
    EXPECT_EQ(image.channels, 3);
    EXPECT_THAT(std::vector(image.pixels.end() - 3, image.pixels.end()), ElementsAre(13, 50, 90));
    EXPECT_EQ(split.reference, nullptr);
    EXPECT_THAT(split.remarks, IsEmpty());
    EXPECT_TRUE(is_cifar10(tree));
  }
}

TEST_F(Cifar10Test, PixelsAreRowMajor) {
  auto bytes = records(0, 2);
  bytes[1 + 5 * 32 + 20] = 77;  // red of row 5, column 20
  folder_.write("data_batch_1.bin", bytes);
  const auto image = testing::decoded_image(*open_cifar10(folder_.tree()).train, 0);
  EXPECT_EQ(image.pixels[(5 * 32 + 20) * 3], 77);
}

TEST_F(Cifar10Test, CoarseTrainingEvaluatesOnTheTenClasses) {
  const auto split = open_cifar10(folder_.tree(), {.coarse_training = true});
  EXPECT_THAT(split.train->class_names(), ElementsAre("vehicle", "animal"));
  EXPECT_THAT(labels_of(*split.train), ElementsAre(0, 0, 1, 1, 1, 1, 1, 1, 0, 0));
  EXPECT_THAT(labels_of(*split.reference), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(split.reference->class_names(), split.test->class_names());
  EXPECT_EQ(testing::decoded_image(*split.train, 4).pixels,
            testing::decoded_image(*split.reference, 4).pixels);
}

TEST_F(Cifar10Test, UsesOfficialNamesWithARemarkIfMissing) {
  folder_.remove("batches.meta.txt");
  const auto split = open_cifar10(folder_.tree());
  EXPECT_EQ(split.train->class_names()[6], "frog");
  EXPECT_THAT(split.remarks, ElementsAre(HasSubstr("batches.meta.txt is missing")));
}

TEST_F(Cifar10Test, AcceptsCrLf) {
  folder_.write_text("batches.meta.txt", "a\r\nb\r\nc\r\nd\r\ne\r\nf\r\ng\r\nh\r\ni\r\nj\r\n\r\n");
  EXPECT_EQ(open_cifar10(folder_.tree()).train->class_names()[9], "j");
}

TEST_F(Cifar10Test, RejectsCorruptNames) {
  folder_.write_text("batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("batches.meta.txt contains 9 names, expected 10"));
  folder_.write_text("batches.meta.txt", "a\nb\nc\nd\n\nf\ng\nh\ni\nj\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("batches.meta.txt contains 9 names, expected 10"))
      << "blank lines are ignored";
  folder_.write_text("batches.meta.txt", "a\nb\nc\nd\na\nf\ng\nh\ni\nj\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("batches.meta.txt:5 repeats the name 'a'"));
  folder_.write_text("batches.meta.txt", std::string("a\nb\nc\0c\n", 8));
  EXPECT_THAT(error_on_opening(), HasSubstr("batches.meta.txt:3 contains a NUL byte"));
}

TEST_F(Cifar10Test, ReportsCorruptBatches) {
  auto bytes = records(0, 2);
  bytes.pop_back();
  folder_.write("data_batch_3.bin", bytes);
  EXPECT_THAT(error_on_opening(),
              AllOf(HasSubstr("data_batch_3.bin has 6145 bytes"), HasSubstr("a multiple of 3073")));
  folder_.write("data_batch_3.bin", {});
  EXPECT_THAT(error_on_opening(), HasSubstr("data_batch_3.bin is empty"));
  folder_.write("data_batch_3.bin", records(9, 2));
  EXPECT_THAT(error_on_opening(),
              AllOf(HasSubstr("record 1 of "),
                    HasSubstr("/data_batch_3.bin has the label 10, expected 0 to 9")));
  folder_.remove("data_batch_3.bin");
  EXPECT_THAT(error_on_opening(), HasSubstr("data_batch_3.bin does not exist"));
  std::filesystem::create_directory(folder_.root() / "data_batch_3.bin");
  EXPECT_THAT(error_on_opening(), HasSubstr("data_batch_3.bin is a folder"));
}

}  // namespace
}  // namespace projnce::dataset
