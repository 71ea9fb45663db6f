#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "tests/support/decoded_image.h"
#include "tests/support/error_message.h"
#include "tests/support/fake_dataset.h"

namespace projnce::dataset {
namespace {

using ::testing::ElementsAre;
using testing::fake_dataset;
using ::testing::HasSubstr;

TEST(Subset, SelectsSamplesInOrder) {
  const SubsetDataset subset(fake_dataset({0, 1, 2, 1}), {3, 0});
  EXPECT_EQ(subset.size(), 2);
  EXPECT_THAT(labels_of(subset), ElementsAre(1, 0));
  EXPECT_EQ(subset.sample_name(0), "sample-3");
  EXPECT_THAT(testing::decoded_image(subset, 0).pixels, ElementsAre(3));
  EXPECT_EQ(subset.class_names().size(), 3U);
}

TEST(Subset, RejectsIndicesOutOfRange) {
  EXPECT_THAT(testing::error_message_of([] {
                SubsetDataset(fake_dataset({0, 1}), {2});
              }),
              HasSubstr("subset index 2 is out of range, expected 0 to 1"));
}

TEST(Concat, ConcatenatesParts) {
  const ConcatDataset joined({fake_dataset({0, 1, 2}), fake_dataset({2, 0})});
  EXPECT_EQ(joined.size(), 5);
  EXPECT_THAT(labels_of(joined), ElementsAre(0, 1, 2, 2, 0));
  EXPECT_EQ(joined.sample_name(2), "sample-2");
  EXPECT_EQ(joined.sample_name(4), "sample-1");
  EXPECT_THAT(testing::decoded_image(joined, 3).pixels, ElementsAre(0));
}

TEST(Concat, RejectsIncompatiblePartsAndIndicesOutOfRange) {
  EXPECT_THAT(testing::error_message_of([] {
                ConcatDataset({fake_dataset({0, 1}), fake_dataset({0, 1, 2})});
              }),
              HasSubstr("different kinds or classes"));
  const ConcatDataset joined({fake_dataset({0, 1})});
  EXPECT_THAT(testing::error_message_of([&] { joined.label(2); }), HasSubstr("expected 0 to 1"));
  EXPECT_THAT(testing::error_message_of([&] { joined.label(-1); }), HasSubstr("expected 0 to 1"));
}

TEST(Relabeled, ChangesOnlyLabels) {
  const RelabeledDataset relabeled(fake_dataset({0, 1, 2}), {2, 2, 0});
  EXPECT_THAT(labels_of(relabeled), ElementsAre(2, 2, 0));
  EXPECT_EQ(relabeled.sample_name(1), "sample-1");
  EXPECT_THAT(testing::decoded_image(relabeled, 1).pixels, ElementsAre(1));
}

TEST(Relabeled, RejectsInvalidLabels) {
  const auto base = fake_dataset({0, 1});
  EXPECT_THAT(testing::error_message_of([&] { RelabeledDataset(base, {0}); }),
              HasSubstr("found 1 labels, expected one for each of 2 samples"));
  EXPECT_THAT(testing::error_message_of([&] {
                RelabeledDataset(base, {0, 2});
              }),
              HasSubstr("sample 1 has label 2, expected 0 to 1"));
}

TEST(Labels, AreCountedPerClass) {
  EXPECT_THAT(class_counts(*fake_dataset({2, 0, 2, 2})), ElementsAre(1, 0, 3));
}

TEST(Channels, RepeatsGrayAndWeightsColor) {
  const Image gray{1, 2, 1, {7, 200}};
  EXPECT_THAT(with_channels(gray, 3).pixels, ElementsAre(7, 7, 7, 200, 200, 200));
  EXPECT_THAT(with_channels(gray, 1).pixels, ElementsAre(7, 200));
  const Image color{1, 3, 3, {255, 0, 0, 0, 255, 0, 255, 255, 255}};
  EXPECT_THAT(with_channels(color, 1).pixels, ElementsAre(76, 150, 255));
  EXPECT_EQ(testing::decoded_image(*with_channels(fake_dataset({0}), 3), 0).channels, 3);
}

}  // namespace
}  // namespace projnce::dataset
