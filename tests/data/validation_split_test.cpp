#include "projnce/data/training_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "projnce/dataset/wrappers/wrappers.h"
#include "tests/support/error_message.h"
#include "tests/support/fake_dataset.h"
#include "tests/support/memory_dataset.h"

namespace projnce::data {
namespace {

using testing::fake_dataset;
using ::testing::HasSubstr;
using testing::uneven_dataset;

std::vector<int64_t> count_by_class(const dataset::Dataset& samples,
                                    const std::vector<int64_t>& indices) {
  std::vector<int64_t> counts(samples.class_names().size(), 0);
  for (const int64_t i : indices) ++counts[static_cast<size_t>(samples.label(i))];
  return counts;
}

std::set<std::string> names_of(const dataset::Dataset& samples) {
  std::set<std::string> names;
  for (int64_t i = 0; i < samples.size(); ++i) names.insert(samples.sample_name(i));
  return names;
}

dataset::OpenedDataset open_with(dataset::DatasetPtr train) {
  dataset::OpenedDataset data;
  data.train = std::move(train);
  data.test = fake_dataset({0, 1});
  return data;
}

TEST(DrawValidation, TakesTheFractionOfEveryClass) {
  const auto samples = uneven_dataset({100, 40, 5, 2, 1});
  EXPECT_EQ(count_by_class(*samples, draw_validation(*samples, 0.1)),
            (std::vector<int64_t>{10, 4, 1, 1, 0}));
  EXPECT_EQ(count_by_class(*samples, draw_validation(*samples, 0.5)),
            (std::vector<int64_t>{50, 20, 3, 1, 0}));
}

TEST(DrawValidation, DependsOnNamesButNotOnOrder) {
  const auto samples = uneven_dataset({30, 30});
  std::vector<int64_t> order;
  for (int64_t i = samples->size() - 1; i >= 0; --i) order.push_back(i);
  const auto reversed = std::make_shared<dataset::SubsetDataset>(samples, order);
  const dataset::SubsetDataset one(samples, draw_validation(*samples, 0.2));
  const dataset::SubsetDataset other(reversed, draw_validation(*reversed, 0.2));
  EXPECT_EQ(names_of(one), names_of(other));
}

TEST(DrawValidation, AddingASampleChangesAtMostOne) {
  std::vector<int64_t> labels(50, 0);
  const auto before = fake_dataset(labels);
  labels.push_back(0);
  const auto after = fake_dataset(labels);
  const auto first = draw_validation(*before, 0.2);
  const auto second = draw_validation(*after, 0.2);
  std::vector<int64_t> shared;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(shared));
  EXPECT_GE(shared.size() + 1, first.size());
}

TEST(HoldOutValidation, KeepsTheOtherSamplesForTraining) {
  auto data = open_with(fake_dataset({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
  const auto all = names_of(*data.train);
  const auto validation = hold_out_validation(data, 0.2).samples;
  EXPECT_EQ(validation->size(), 2);
  EXPECT_EQ(data.train->size(), 8);
  auto together = names_of(*data.train);
  together.merge(names_of(*validation));
  EXPECT_EQ(together, all);
}

TEST(HoldOutValidation, CleanLabelsStayWithTheirSamples) {
  const std::vector<int64_t> clean = {0, 0, 0, 0, 1, 1, 1, 1};
  auto data = open_with(std::make_shared<dataset::RelabeledDataset>(
      fake_dataset(clean), std::vector<int64_t>{0, 1, 0, 0, 1, 1, 0, 1}));
  data.clean_train_labels = clean;
  const auto validation = hold_out_validation(data, 0.25);
  ASSERT_EQ(data.clean_train_labels.size(), 6u);
  ASSERT_EQ(validation.clean_labels.size(), 2u);
  const auto expect_clean = [&](const dataset::Dataset& samples, const auto& labels) {
    for (int64_t i = 0; i < samples.size(); ++i) {
      const auto index = std::stoll(samples.sample_name(i).substr(7));  // "sample-INDEX"
      EXPECT_EQ(labels[static_cast<size_t>(i)], clean[static_cast<size_t>(index)]);
    }
  };
  expect_clean(*data.train, data.clean_train_labels);
  expect_clean(*validation.samples, validation.clean_labels);
}

TEST(HoldOutValidation, RemovesValidationSamplesFromCoarseTraining) {
  auto data = open_with(fake_dataset({0, 0, 0, 0, 0, 0, 0, 0}));
  data.reference = fake_dataset({0, 0, 1, 1, 2, 2, 3, 3});
  const auto validation = hold_out_validation(data, 0.5).samples;
  EXPECT_EQ(validation->size(), 4);
  EXPECT_EQ(validation->class_names().size(), 4u);
  EXPECT_EQ(names_of(*data.train), names_of(*data.reference));
}

TEST(HoldOutValidation, KeepsUnlabeledTrainingSamples) {
  auto data = open_with(fake_dataset({0, 0, 0, 0}));
  data.reference = fake_dataset({0, 0, 1, 1});
  data.unlabeled = true;
  hold_out_validation(data, 0.5);
  EXPECT_EQ(data.train->size(), 4);
  EXPECT_EQ(data.reference->size(), 2);
}

TEST(HoldOutValidation, RejectsDataWithoutAClassOfTwoSamples) {
  auto data = open_with(fake_dataset({0, 1, 2}));
  EXPECT_THAT(testing::error_message_of([&] { hold_out_validation(data, 0.1); }),
              HasSubstr("no class has two training samples"));
}

}  // namespace
}  // namespace projnce::data
