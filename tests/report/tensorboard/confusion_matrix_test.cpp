#include "projnce/report/tensorboard/confusion_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/error_message.h"

namespace projnce::report {
namespace {

using testing::error_message_of;
using ::testing::HasSubstr;

/// Numbers of predominantly red and blue pixels.
struct Tints {
  int64_t red = 0;
  int64_t blue = 0;
};

Tints tints_of(const Image& image) {
  Tints tints;
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    const int difference = image.pixels[i] - image.pixels[i + 2];
    tints.red += difference > 40;
    tints.blue += difference < -40;
  }
  return tints;
}

std::vector<int64_t> diagonal(size_t classes) {
  std::vector<int64_t> counts(classes * classes, 0);
  for (size_t i = 0; i < classes; ++i) counts[i * classes + i] = 10;
  return counts;
}

std::vector<std::string> numbered_names(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back("class " + std::to_string(i));
  return names;
}

TEST(ConfusionMatrixImage, CorrectIsBlueAndWrongIsRed) {
  const auto right = tints_of(confusion_matrix_image(std::vector<int64_t>{5, 0, 0, 5}, {"a", "b"}));
  EXPECT_GT(right.blue, 10000);
  EXPECT_EQ(right.red, 0);
  const auto wrong = tints_of(confusion_matrix_image(std::vector<int64_t>{0, 5, 5, 0}, {"a", "b"}));
  EXPECT_GT(wrong.red, 10000);
  EXPECT_EQ(wrong.blue, 0);
}

TEST(ConfusionMatrixImage, NormalizesRows) {
  const auto few = confusion_matrix_image(std::vector<int64_t>{3, 1, 1, 3}, {"a", "b"});
  const auto many = confusion_matrix_image(std::vector<int64_t>{300, 100, 2, 6}, {"a", "b"});
  EXPECT_EQ(few.pixels, many.pixels);
}

TEST(ConfusionMatrixImage, ClassWithoutSamplesHasEmptyRow) {
  const auto tints = tints_of(confusion_matrix_image(std::vector<int64_t>(9, 0), {"a", "b", "c"}));
  EXPECT_EQ(tints.red + tints.blue, 0);
}

TEST(ConfusionMatrixImage, SizeIsBounded) {
  for (const size_t classes : {1U, 2U, 10U, 25U, 50U, 100U, 121U, 1000U}) {
    const auto image = confusion_matrix_image(diagonal(classes), numbered_names(classes));
    EXPECT_EQ(image.channels, 3);
    EXPECT_GE(image.width, 800) << classes;
    EXPECT_LE(std::max(image.width, image.height), 3200) << classes;
    EXPECT_GT(tints_of(image).blue, 1000) << classes;
  }
}

TEST(ConfusionMatrixImage, DrawsNamesOfAnyBytes) {
  const std::string long_name(5000, 'x');
  const auto image = confusion_matrix_image(diagonal(3), {"\xFF\n<&>", long_name, ""});
  EXPECT_LT(image.width, 1200);
}

TEST(ConfusionMatrixImage, RejectsCountsThatAreNotSquare) {
  EXPECT_THAT(error_message_of([] { confusion_matrix_image(std::vector<int64_t>(6, 1), {}); }),
              HasSubstr("6 counts and 0 names"));
  EXPECT_THAT(error_message_of([] { confusion_matrix_image({}, {}); }), HasSubstr("0 counts"));
  EXPECT_THAT(error_message_of([] { confusion_matrix_image(std::vector<int64_t>(4, 1), {"a"}); }),
              HasSubstr("4 counts and 1 names"));
  EXPECT_THAT(
      error_message_of([] { confusion_matrix_image(std::vector<int64_t>(1001 * 1001, 1), {}); }),
      HasSubstr("1 to 1000 classes"));
}

}  // namespace
}  // namespace projnce::report
