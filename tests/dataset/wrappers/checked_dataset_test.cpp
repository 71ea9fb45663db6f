#include "projnce/dataset/wrappers/checked_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

#include "projnce/dataset/labels.h"
#include "tests/support/decoded_image.h"
#include "tests/support/error_message.h"
#include "tests/support/fake_dataset.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fake_dataset;
using ::testing::HasSubstr;

/// Decodes each sample only once and throws the second time, so that only cached copies succeed.
class OnceDataset : public testing::FakeDataset {
 public:
  using FakeDataset::FakeDataset;
  Sample decode(int64_t index) const override {
    if (decoded_.at(static_cast<size_t>(index))++ > 0) fail("sample ", index, " is read again");
    return FakeDataset::decode(index);
  }

 private:
  mutable std::vector<int> decoded_ = std::vector<int>(100);
};

TEST(CheckedDataset, RemovesUndecodableSamples) {
  const auto checked = check_dataset(fake_dataset({0, 1, 2, 1}, {1}), {});
  EXPECT_EQ(checked.corrupt.size(), 1U);
  EXPECT_THAT(labels_of(*checked.dataset), ElementsAre(0, 2, 1));
  EXPECT_EQ(checked.dataset->sample_name(1), "sample-2");
  EXPECT_THAT(testing::decoded_image(*checked.dataset, 1).pixels, ElementsAre(2));
  EXPECT_EQ(checked.channels, 1);
}

TEST(CheckedDataset, CachesImagesIfAllFitIntoTheBudget) {
  const auto dataset = std::make_shared<OnceDataset>(std::vector<int64_t>(5, 0));
  const auto checked = check_dataset(dataset, {.decoding = {}, .memory_budget = 5});
  EXPECT_EQ(checked.bytes_in_memory, 5U);
  for (int64_t i = 0; i < 5; ++i)
    EXPECT_EQ(testing::decoded_image(*checked.dataset, i).pixels[0], i);
}

TEST(CheckedDataset, CachesNoImagesIfSomeDoNotFit) {
  const auto dataset = std::make_shared<OnceDataset>(std::vector<int64_t>(5, 0));
  const auto checked = check_dataset(dataset, {.decoding = {}, .memory_budget = 4});
  EXPECT_EQ(checked.bytes_in_memory, 0U);
  for (int64_t i = 0; i < 5; ++i)
    EXPECT_THAT(testing::error_message_of([&] { checked.dataset->decode(i); }),
                HasSubstr("read again"));
}

class CorruptSamplesTest : public ::testing::Test {
 protected:
  /// The error or log for `corrupt` samples among 200 of two classes.
  std::string verdict(const std::vector<int64_t>& corrupt, const CorruptSampleRules& rules) {
    std::vector<int64_t> labels(200, 0);
    labels[7] = 1;
    const auto dataset = fake_dataset(labels, corrupt);
    std::ostringstream log;
    const auto logger = std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log));
    const auto found = decode_all(*dataset, {}, [](int64_t, Sample&&) {});
    const auto error =
        testing::error_message_of([&] { check_corrupt_samples(*dataset, found, rules, logger); });
    return log.str().empty() ? error : log.str();
  }
};

TEST_F(CorruptSamplesTest, AFewAreAWarning) {
  EXPECT_THAT(verdict({}, {}), HasSubstr("nothing was wrong"));
  EXPECT_THAT(verdict({1, 2}, {.split = "test split"}),
              AllOf(HasSubstr("skipped: sample-1 is corrupt"),
                    HasSubstr("2 of 200 samples of the test split cannot be read")));
}

TEST_F(CorruptSamplesTest, MoreThanOnePercentAndFiveIsAnError) {
  EXPECT_THAT(verdict({1, 2, 3, 4, 5}, {}), HasSubstr("5 of 200 samples"));
  EXPECT_THAT(verdict({1, 2, 3, 4, 5, 6}, {}),
              AllOf(HasSubstr("6 of 200 samples"), HasSubstr("expected at most 1 % or 5 files"),
                    HasSubstr("sample-1 is corrupt"), HasSubstr("--max-corrupt")));
}

TEST_F(CorruptSamplesTest, LimitIsACountOrAPercentage) {
  const auto skipped = HasSubstr("cannot be read; skipped");
  EXPECT_THAT(verdict({1, 2}, {.max_corrupt = {.count = 2}}), skipped);
  EXPECT_THAT(verdict({1, 2}, {.max_corrupt = {.count = 1}}), HasSubstr("expected at most 1:"));
  EXPECT_THAT(verdict({1, 2, 3, 4}, {.max_corrupt = {.fraction = 0.02}}), skipped);
  EXPECT_THAT(verdict({1, 2, 3, 4, 5}, {.max_corrupt = {.fraction = 0.02}}),
              HasSubstr("expected at most 2 %"));
}

TEST_F(CorruptSamplesTest, LimitIncludesOtherSplits) {
  EXPECT_THAT(verdict({1, 2}, {.corrupt_before = 4, .total_samples = 300}),
              AllOf(HasSubstr("2 of 200 samples"), HasSubstr("6 of 300 in total")));
}

TEST_F(CorruptSamplesTest, TestSplitMayLoseAClassButNotEverySample) {
  EXPECT_THAT(verdict({7}, {.every_class = false}), HasSubstr("1 of 200 samples"));
  const auto all = fake_dataset({0, 1}, {0, 1});
  const auto found = decode_all(*all, {}, [](int64_t, Sample&&) {});
  EXPECT_THAT(testing::error_message_of([&] {
                check_corrupt_samples(*all, found, {.every_class = false, .split = "test split"},
                                      nullptr);
              }),
              HasSubstr("no sample of the test split can be read"));
}

TEST_F(CorruptSamplesTest, OneIsAnErrorIfStrict) {
  EXPECT_THAT(verdict({1}, {.strict = true}),
              AllOf(HasSubstr("1 of 200 samples"), HasSubstr("expected none")));
}

TEST_F(CorruptSamplesTest, ClassWithoutReadableSamplesIsAnError) {
  EXPECT_THAT(verdict({7}, {}),
              AllOf(HasSubstr("class 'class-1'"), HasSubstr("all 1 are corrupt")));
}

}  // namespace
}  // namespace projnce::dataset
