#include "projnce/dataset/readers/image_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "tests/support/data_files.h"
#include "tests/support/decoded_image.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using testing::Bytes;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::encode_idx;
using ::testing::HasSubstr;
using testing::write_file;

/// A folder with a tiny dataset of the MNIST family: 3 training samples and 2 test samples, 2 x 2.
class MnistTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write("train-images-idx3-ubyte",
          encode_idx({3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
    write("train-labels-idx1-ubyte", encode_idx({3}, {9, 0, 4}));
    write("t10k-images-idx3-ubyte", encode_idx({2, 2, 2}, Bytes(8, 255)));
    write("t10k-labels-idx1-ubyte", encode_idx({2}, {1, 2}));
  }

  void write(const std::string& file, const Bytes& bytes) { write_file(dir_.path() / file, bytes); }

  DatasetSplit open() { return open_mnist(io::open_file_tree(dir_.path()), mnist_classes()); }
  std::string error_on_opening() {
    return testing::error_message_of([this] { open(); });
  }

  testing::ScratchDir dir_;
};

TEST_F(MnistTest, ReadsLabelsAndPixels) {
  const auto split = open();
  EXPECT_THAT(labels_of(*split.train), ElementsAre(9, 0, 4));
  const auto image = testing::decoded_image(*split.train, 1);
  EXPECT_EQ(image.height, 2);
  EXPECT_EQ(image.channels, 1);
  EXPECT_THAT(image.pixels, ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(split.train->sample_name(1), "1");
  EXPECT_EQ(split.test->size(), 2);
  EXPECT_EQ(split.test->class_names()[9], "9");
}

TEST_F(MnistTest, ReadsGzipFiles) {
  std::filesystem::remove(dir_.path() / "train-labels-idx1-ubyte");
  write("train-labels-idx1-ubyte.gz", testing::gzip(encode_idx({3}, {1, 2, 3})));
  EXPECT_THAT(labels_of(*open().train), ElementsAre(1, 2, 3));
}

TEST_F(MnistTest, ReportsMissingFile) {
  std::filesystem::remove(dir_.path() / "t10k-labels-idx1-ubyte");
  EXPECT_THAT(error_on_opening(),
              AllOf(HasSubstr("t10k-labels-idx1-ubyte does not exist"), HasSubstr("four files")));
}

TEST_F(MnistTest, ReportsBothSizesOfATruncatedFile) {
  auto bytes = encode_idx({3, 2, 2}, Bytes(12));
  bytes.resize(bytes.size() - 5);
  write("train-images-idx3-ubyte", bytes);
  EXPECT_THAT(error_on_opening(),
              HasSubstr("train-images-idx3-ubyte has 7 bytes of values, expected 12"));
}

TEST_F(MnistTest, ReportsDifferentCountsOfImagesAndLabels) {
  write("train-labels-idx1-ubyte", encode_idx({2}, {9, 0}));
  EXPECT_THAT(error_on_opening(),
              AllOf(HasSubstr("train-images-idx3-ubyte contains 3 images"), HasSubstr("2 labels")));
}

TEST_F(MnistTest, ReportsLabelsOutOfRange) {
  write("train-labels-idx1-ubyte", encode_idx({3}, {0, 10, 1}));
  EXPECT_THAT(error_on_opening(), HasSubstr("has label 10 for sample 1, expected 0 to 9"));
}

TEST_F(MnistTest, RejectsSwappedOrEmptyFiles) {
  write("train-labels-idx1-ubyte", encode_idx({3, 1, 1}, {0, 1, 1}));
  EXPECT_THAT(error_on_opening(), HasSubstr("has 3 dimensions, expected 1"));
  write("train-labels-idx1-ubyte", encode_idx({0}, {}));
  write("train-images-idx3-ubyte", encode_idx({0, 2, 2}, {}));
  EXPECT_THAT(error_on_opening(), HasSubstr("contains no images"));
  write("train-labels-idx1-ubyte", encode_idx({3}, {0, 0, 0}));
  write("train-images-idx3-ubyte", encode_idx({3, 0, 2}, {}));
  EXPECT_THAT(error_on_opening(), HasSubstr("images of 0 x 2 pixels"));
}

TEST(FashionMnist, HasTheOfficialCounts) {
  const std::filesystem::path root = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  const auto split = open_mnist(io::open_file_tree(root), fashion_mnist_classes());
  EXPECT_EQ(split.train->size(), 60'000);
  EXPECT_EQ(split.test->size(), 10'000);
  EXPECT_THAT(class_counts(*split.train), Each(6'000));
  EXPECT_THAT(class_counts(*split.test), Each(1'000));
  EXPECT_EQ(testing::decoded_image(*split.train, 0).width, 28);
  EXPECT_EQ(split.train->class_names()[static_cast<size_t>(split.train->label(0))], "Ankle boot");
}

}  // namespace
}  // namespace projnce::dataset
