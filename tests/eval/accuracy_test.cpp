#include "projnce/eval/accuracy.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace projnce::eval {
namespace {

TEST(Accuracy, CountsCorrectPredictionsPerClassAndOverall) {
  const auto scores = torch::tensor({{0.9, 0.1, 0.0}, {0.2, 0.8, 0.0}, {0.7, 0.3, 0.0}});
  const auto labels = torch::tensor({0, 1, 1}, torch::kLong);
  const auto accuracy = measure_accuracy(scores, labels);
  EXPECT_EQ(accuracy.samples, 3);
  EXPECT_DOUBLE_EQ(accuracy.top1, 2.0 / 3);
  EXPECT_DOUBLE_EQ(accuracy.per_class[0], 1);
  EXPECT_DOUBLE_EQ(accuracy.per_class[1], 0.5);
  EXPECT_TRUE(std::isnan(accuracy.per_class[2]));
  EXPECT_EQ(accuracy.confusion[1], (std::vector<int64_t>{1, 1, 0}));
}

TEST(Accuracy, TopFiveCountsLabelsAmongTheFiveBest) {
  const auto scores = torch::arange(8, torch::kFloat).repeat({2, 1});
  EXPECT_DOUBLE_EQ(measure_accuracy(scores, torch::tensor({3, 2}, torch::kLong)).top5, 0.5);
}

TEST(Accuracy, TiesGoToTheLowerClass) {
  const auto predicted = predict_class(torch::tensor({{1.0, 2.0, 2.0}, {3.0, 3.0, 3.0}}));
  EXPECT_TRUE(torch::equal(predicted, torch::tensor({1, 0}, torch::kLong)));
}

TEST(Accuracy, SupportsNoSamples) {
  EXPECT_EQ(measure_accuracy(torch::zeros({0, 3}), torch::zeros({0}, torch::kLong)).samples, 0);
}

}  // namespace
}  // namespace projnce::eval
